//! The commands that a run's own gates judged it by, beside those that a person set: an agent names them in a
//! field, and the gates run them. It refuses to guess one from what is no command.

use flow::Flow;

/// Each command that a field names from which a gate of the run's workflow takes commands.
pub(super) fn by_gates(run: &Flow) -> Vec<String> {
    let states = run.workflow().states.values();
    let checks = states.flat_map(|state| &state.gate);
    let fields = checks.filter_map(|spec| match spec.check.as_str() {
        "command" => spec.with["field"].as_str(),
        _ => spec.with["command_from"].as_str(),
    });
    let texts = fields.filter_map(|field| run.fields().get(field));
    let mut named: Vec<String> = Vec::new();
    for text in texts {
        let quoted = kernel::pattern::quoted(text);
        let lines = if quoted.is_empty() {
            vec![text.trim()]
        } else {
            quoted
        };
        for line in lines {
            // As often as gates have it, it is one.
            if !line.is_empty() && !named.iter().any(|one| one == line) {
                named.push(line.to_owned());
            }
        }
    }
    named
}
