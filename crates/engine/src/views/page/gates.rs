//! The gates: every check that the engine ran, its command, its exit and what was kept.

use super::html::{Out, Tone, chip, count, duration, esc, short, time};
use super::{Answer, CheckView, GateView, PageData};

/// The latest gate of every state: the first that the data names for it.
pub(super) fn latest(data: &PageData) -> Vec<&GateView> {
    let mut latest: Vec<&GateView> = Vec::new();
    for gate in &data.gates {
        if latest.iter().all(|seen| seen.state != gate.state) {
            latest.push(gate);
        }
    }
    latest
}

pub(super) fn section(out: &mut Out, data: &PageData) {
    out.raw("<section aria-labelledby=\"gates\">\n<h2 id=\"gates\">Gates</h2>\n");
    if data.gates.is_empty() {
        out.raw("<p class=\"none\">No gate has run. Not run is not passed.</p>\n");
    } else {
        out.raw(
            "<p class=\"note\">A gate opens only if all of its checks pass. The engine runs them; \
             no agent can fill in an answer.</p>\n",
        );
    }
    for gate in latest(data) {
        let older: Vec<&GateView> = data
            .gates
            .iter()
            .filter(|other| other.state == gate.state && !std::ptr::eq(*other, gate))
            .collect();
        out.raw("<article class=\"gate\">\n");
        body(out, gate, "h3");
        if !older.is_empty() {
            out.raw(&format!(
                "<details>\n<summary>{} of this gate</summary>\n",
                count(older.len(), "earlier try").replace("trys", "tries")
            ));
            for gate in older {
                body(out, gate, "h4");
            }
            out.raw("</details>\n");
        }
        out.raw("</article>\n");
    }
    out.raw("</section>\n");
}

fn body(out: &mut Out, gate: &GateView, heading: &str) {
    let status = match gate.passed {
        true => chip(Tone::Good, "passed"),
        false => chip(Tone::Bad, "did not pass"),
    };
    out.raw(&format!(
        "<header><{heading}>{}</{heading}> {status} <span class=\"when\">{}</span></header>\n",
        esc(&gate.state),
        time(&gate.at)
    ));
    if gate.results.is_empty() {
        out.raw("<p class=\"none\">This gate has no checks.</p>\n");
        return;
    }
    out.raw("<ul class=\"checks\">\n");
    for result in &gate.results {
        check(out, result);
    }
    out.raw("</ul>\n");
}

fn check(out: &mut Out, check: &CheckView) {
    let (tone, words) = match check.verdict {
        Answer::Passed => (Tone::Good, "pass"),
        Answer::Failed => (Tone::Bad, "fail"),
        Answer::CouldNotRun => (Tone::Unsure, "could not run"),
        Answer::Noted => (Tone::Plain, "did not hold, not judged"),
    };
    out.raw(&format!(
        "<li class=\"{}\">\n<p class=\"check\"><code>{}</code> {}</p>\n",
        tone.class(),
        esc(&check.check),
        chip(tone, words)
    ));
    out.paragraph("reason", &check.reason);
    out.paragraph("refused", &check.refused);
    if !check.argv.is_empty() {
        out.raw(&format!(
            "<pre class=\"command\" tabindex=\"0\" aria-label=\"Command\"><code>{}</code></pre>\n",
            esc(&as_typed(&check.argv))
        ));
    }
    // Only what was run has a time, an exit and a tree.
    if !check.argv.is_empty() {
        out.raw("<p class=\"facts-line\">");
        if let Some(exit) = check.exit {
            out.raw(&format!("<span>exit {exit}</span> "));
        }
        out.raw(&format!("<span>{}</span> ", duration(check.millis)));
        if !check.tree.is_empty() {
            out.raw(&format!("<span>tree {}</span>", short(&check.tree)));
        }
        out.raw("</p>\n");
    }
    out.links(&check.evidence);
    out.raw("</li>\n");
}

/// The command as one would type it: arguments with anything special are quoted.
fn as_typed(argv: &[String]) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let typed: Vec<String> = argv
        .iter()
        .map(|word| match !word.is_empty() && word.chars().all(simple) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        })
        .collect();
    typed.join(" ")
}
