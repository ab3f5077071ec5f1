//! `log.md`: the run as a story for people, and for the next agent. Wholly the engine's: it is
//! written anew from the journal, so nothing that anybody writes into it becomes history.

use crate::attempt;
use crate::gate::NOT_YET;
use crate::history::History;
use flow::Flow;
use kernel::event::WHAT_IS_THERE;
use kernel::outcome::Ran;
use kernel::{Body, Verdict};
use std::fmt::Write;
use workspace::EngineError;
use workspace::context::Context;

const MOST_CHARS: usize = 400;
/// The result that only tells a number of the repository's history.
const NUMBER: &str = "history";

pub(super) fn write(
    context: &Context,
    machine: &Flow,
    history: &History,
) -> Result<(), EngineError> {
    let Some(file) = context
        .workflow
        .task
        .as_ref()
        .and_then(|task| task.log.as_ref())
    else {
        return Ok(());
    };
    let path = context.task.join(file);
    Ok(store::write_atomic(
        &path,
        text(machine, history).as_bytes(),
    )?)
}

fn text(machine: &Flow, history: &History) -> String {
    let stall = machine.workflow().noted_check();
    let mut text = format!(
        "# Log\n\nWritten by the engine from its journal; edits are not kept. State now: `{}`.\n\n",
        machine.position().state
    );
    for event in history.events() {
        let at = event.at;
        match &event.body {
            Body::Moved(moved) => {
                let (from, to) = (&moved.from, &moved.position.state);
                let (action, why) = (&moved.action, line(&moved.why));
                let _ = match from != to {
                    true => writeln!(text, "\n## {at} {from} -> {to}\n\n`{action}`: {why}\n"),
                    false => writeln!(text, "- {at} `{to}`: {action}: {why}"),
                };
            }
            Body::Rewound(back) => {
                let (from, to, why) = (&back.from, &back.position.state, line(&back.why));
                let _ = writeln!(
                    text,
                    "\n## {at} {from} -> {to}\n\nBack to the commit {}: {why}\n",
                    back.commit
                );
            }
            Body::AttemptEnded(ended) => {
                let (state, outcome) = (history.state(ended.effect), &ended.outcome);
                let said = line(attempt::said(outcome));
                let _ = writeln!(text, "- {at} `{state}`: the agent says: {said}");
                if let Some(refused) = outcome.refused_connections() {
                    let _ = writeln!(text, "  - {}", line(&refused));
                }
            }
            Body::GateEnded(ended) => {
                let (state, results) = (history.state(ended.effect), &ended.results);
                let bad: Vec<_> = results
                    .iter()
                    // A pass that brought nothing is worth knowing; the gate does not judge by it.
                    .filter(|result| stall != Some(result.check.as_str()))
                    .filter(|result| result.verdict != Verdict::Pass && result.weight.is_binding())
                    .collect();
                let began = history.began(ended.effect);
                let tried = began.is_some_and(|began| began.effect.subject == WHAT_IS_THERE);
                let verdict = match (bad.is_empty(), tried) {
                    (true, _) => "PASS",
                    (false, true) => NOT_YET,
                    (false, false) => "FAIL",
                };
                // Those that the gate judged by: how many others looked, or were told, is not the same each time.
                let judged = results.iter().filter(|one| one.weight.is_binding());
                let judged = judged.filter(|one| one.check != NUMBER);
                let count = judged
                    .filter(|one| stall != Some(one.check.as_str()))
                    .count();
                let checks = if count == 1 { "check" } else { "checks" };
                let _ = writeln!(text, "- {at} `{state}`: gate {verdict}, {count} {checks}");
                let refused = results.iter().filter_map(|result| {
                    let ran = result.ran.as_ref();
                    Some((&result.check, ran.and_then(Ran::refused_connections)?))
                });
                let bad = bad.iter().map(|bad| (&bad.check, bad.reason.clone()));
                for (check, why) in bad.chain(refused) {
                    let _ = writeln!(text, "  - {}: {}", line(check), line(&why));
                }
            }
            Body::Decided(decision) => {
                let because = match line(&decision.because) {
                    because if because.is_empty() => because,
                    because => format!(": {because}"),
                };
                let _ = writeln!(
                    text,
                    "- {at} {} decided `{}` ({}){because}",
                    line(&decision.who),
                    decision.option,
                    decision.channel,
                );
            }
            Body::CheckpointEnded(ended) => {
                if let Some(commit) = &ended.commit {
                    let short = &commit[..commit.len().min(12)];
                    let _ = writeln!(text, "- {at} checkpoint {short}");
                }
            }
            _ => {}
        }
    }
    for (state, one) in machine.post_mortems() {
        let _ = writeln!(text, "\n## Post-mortem: {state}, {}\n", one.at);
        section(&mut text, "What went wrong (the engine saw it)", &one.wrong);
        let advice = Some(one.try_next.clone()).filter(|advice| !advice.is_empty());
        section(
            &mut text,
            "What to try differently (the agent's words)",
            advice.as_slice(),
        );
        section(&mut text, "What to avoid (tried, and failed)", &one.avoid);
    }
    text
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    let _ = writeln!(text, "### {title}\n");
    if lines.is_empty() {
        let _ = writeln!(text, "- nothing was said");
    }
    for one in lines {
        let _ = writeln!(text, "- {}", line(one));
    }
    text.push('\n');
}

/// One capped line that cannot pass for a heading or end a list.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let joined = words.join(" ");
    let mut capped: String = joined.chars().take(MOST_CHARS).collect();
    if capped.len() < joined.len() {
        capped.push('…');
    }
    capped.replace('<', "&lt;")
}
