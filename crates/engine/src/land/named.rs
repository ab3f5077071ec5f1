//! What a run's own gates judged it by, beside the commands that a person set: an agent names it in a field, and
//! the gates run it. It refuses to guess a command from what is none.

use flow::Flow;

/// Lines of fields that gates of the run's workflow run.
pub(super) struct ByGates {
    /// Each is judged by its exit code.
    pub(super) commands: Vec<String>,
    /// Each runs a suite and writes a report of it.
    pub(super) suites: Vec<String>,
}

impl ByGates {
    pub(super) fn of(run: &Flow) -> Self {
        Self {
            commands: lines(run, "field", &|check| check == "command"),
            suites: lines(run, "command_from", &|check| check != "command"),
        }
    }
}

/// The lines of fields that a setting of such checks names.
fn lines(run: &Flow, setting: &str, is_of: &dyn Fn(&str) -> bool) -> Vec<String> {
    let states = run.workflow().states.values();
    let checks = states.flat_map(|state| &state.gate);
    let checks = checks.filter(|spec| is_of(&spec.check));
    let fields = checks.filter_map(|spec| spec.with[setting].as_str());
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
