//! The engine's part of `EVIDENCE.md`: what it ran itself, between two marks. Everything outside of
//! the marks is the agents' and the people's, and stays.

use crate::history::History;
use std::fmt::Write;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::view::EVIDENCE_FILE;

const BEGIN: &str = "<!-- proofhouse: begin; the engine writes this part -->";
const END: &str = "<!-- proofhouse: end -->";

pub(super) fn write(context: &Context, history: &History) -> Result<(), EngineError> {
    let listed = context
        .workflow
        .task
        .as_ref()
        .is_some_and(|task| task.files.contains_key(EVIDENCE_FILE));
    if !listed {
        return Ok(());
    }
    let path = context.task.join(EVIDENCE_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::from("# Evidence\n"),
        Err(error) => return Err(EngineError::io("read", &path)(error)),
    };
    let fresh = splice(&text, &list(history, context.workflow.noted_check()));
    if fresh != text {
        store::write_atomic(&path, fresh.as_bytes())?;
    }
    Ok(())
}

fn splice(text: &str, part: &str) -> String {
    let marked = format!("{BEGIN}\n{part}{END}");
    match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}{marked}{}", &text[..begin], &text[end + END.len()..])
        }
        _ => format!("{}\n\n{marked}\n", text.trim_end()),
    }
}

fn list(history: &History, noted: Option<&str>) -> String {
    let mut text = String::from("\n## Run by Proofhouse itself\n\n");
    let gates = history.gates(noted);
    if gates.is_empty() {
        text.push_str("Nothing yet.\n\n");
        return text;
    }
    text.push_str("| phase | check | verdict | what was seen | exit | evidence |\n|---|---|---|---|---|---|\n");
    for gate in &gates {
        for check in &gate.checks {
            let exit = check.exit.map_or_else(String::new, |exit| exit.to_string());
            let refused = match check.refused.as_str() {
                "" => String::new(),
                line => format!("; {line}"),
            };
            let hashes = check.evidence.iter().map(|kept| kept.hash.get(..12));
            let hashes: Vec<String> = hashes.flatten().map(|hash| format!("`{hash}`")).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {exit} | {} |",
                gate.state,
                cell(&check.check),
                check.verdict(),
                cell(&format!("{}{refused}", check.reason)),
                hashes.join(" ")
            );
        }
    }
    text.push('\n');
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace(['\n', '\r'], " ")
        .replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_changes() {
        let first = splice("# Evidence\n\nmine\n", "A\n");
        assert!(first.starts_with("# Evidence\n\nmine\n\n"), "{first}");
        let second = splice(&format!("{first}after\n"), "B\n");
        assert!(second.contains("mine") && second.contains("B\n") && second.contains("after\n"));
        assert!(!second.contains("A\n"));
    }

    #[test]
    fn what_is_not_known_does_not_look_like_none() {
        let told = |unrecorded: Option<&str>| {
            let verdict = kernel::outcome::Verdict::Pass;
            let mut result = kernel::outcome::CheckResult::new("command: true", verdict, "exit 0");
            result.ran = Some(kernel::outcome::Ran {
                argv: vec!["true".to_owned()],
                exit: Some(0),
                killed: None,
                tree: String::new(),
                output: String::new(),
                millis: 1,
                denied: Vec::new(),
                unrecorded: unrecorded.map(str::to_owned),
            });
            let mut history = History::default();
            history.take(&kernel::Event {
                at: kernel::Time(0),
                body: kernel::Body::GateEnded(kernel::event::GateEnded {
                    effect: kernel::EffectId::default(),
                    results: vec![result],
                    tree: None,
                    found: kernel::outcome::Found::default(),
                }),
            });
            list(&history, None)
        };
        assert!(!told(None).contains("refused connections"));
        let unknown = told(Some("no notifications"));
        assert!(
            unknown.contains("not known (no notifications)"),
            "{unknown}"
        );
    }
}
