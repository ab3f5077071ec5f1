//! `proofhouse log RUN --attempt`: one attempt of an agent, in its own words: what it says that it did, its
//! result whole, and what it did on the way.

use super::exit;
use super::out::{Out, Tone, duration, plain, uncut, whole};
use kernel::ledger::RUNNING;
use report::attempt::Attempt;
use report::kept::Kept;
use report::spend::dollars;
use report::transcript::TurnKind;
use serde_json::{Value, json};
use workspace::{EngineError, Project};

/// Shows the attempt of this name, such as `e0003` or `3`; the last one for an empty name.
pub(crate) fn show(
    project: &Project,
    run: &str,
    which: &str,
    out: &Out,
) -> Result<u8, EngineError> {
    let (evidence, ..) = report::evidence::now(project, run, &mut Kept::default())?;
    let attempts = &evidence.attempts;
    let number = |name: &str| name.trim_start_matches(['e', '0']).to_owned();
    let meant = |one: &&Attempt| number(&one.note.effect.to_string()) == number(which);
    let found = match which {
        "" => attempts.last(),
        _ => attempts.iter().find(meant),
    };
    let Some(attempt) = found else {
        let names = attempts.iter().map(|one| one.note.effect.to_string());
        let names: Vec<String> = names.collect();
        let (what, mend) = match names.is_empty() {
            true => (
                "no agent has worked yet".to_owned(),
                "let it work: `proofhouse run`".to_owned(),
            ),
            false => (
                format!("`{run}` has no attempt `{which}`"),
                format!("name one of: {}", names.join(", ")),
            ),
        };
        return Err(EngineError::user("unknown_attempt", what, mend));
    };
    let result = result(project, attempt);
    if out.json {
        let mut facts = json!(attempt);
        facts["result"] = json!(result);
        out.facts(&facts);
        return Ok(exit::OK);
    }
    text(out, attempt, result.as_ref());
    Ok(exit::OK)
}

/// What it handed in; nothing where that is under seal, or where there is none.
fn result(project: &Project, attempt: &Attempt) -> Option<Value> {
    let named = |piece: &&kernel::outcome::EvidenceRef| piece.name.ends_with(" result");
    let piece = attempt.evidence.iter().find(named)?;
    let bytes = project.vault().ok()?.get(&piece.hash).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn text(out: &Out, attempt: &Attempt, result: Option<&Value>) {
    let note = &attempt.note;
    let name = out.paint(Tone::Strong, &note.effect.to_string());
    let running = note.ended == RUNNING;
    let took = match running {
        true => duration(workspace::clock::now().since(note.began)),
        false => duration(note.millis),
    };
    let how = if running { "for" } else { "after" };
    // Who works is written down when the attempt ends.
    let by = match plain(&attempt.agent) {
        nobody if nobody.is_empty() => String::new(),
        agent => format!(", by {agent}"),
    };
    let cost = match note.usage.is_nothing() {
        true => String::new(),
        false => format!(", {}", dollars(note.usage.micro_dollars)),
    };
    let model = attempt.model.as_deref().map(plain);
    let model = model.map_or_else(String::new, |model| format!(" ({model})"));
    out.line(&format!(
        "{name}  {} of `{}`{by}{model}: {} {how} {took}{cost}",
        note.role, note.state, note.ended
    ));
    if note.ended != "done" && !running {
        out.row("ended", &uncut(&note.reason));
    }
    if !attempt.changed.is_empty() {
        out.row("changed", &plain(&attempt.changed.join(", ")));
    }
    if let Some(result) = result {
        if let Some(said) = result["summary"].as_str() {
            out.row("says", &uncut(said));
        }
        let rest = result.as_object().map(|members| {
            let rest = members.iter().filter(|(name, _)| *name != "summary");
            rest.map(|(name, value)| (name.clone(), value.clone()))
                .collect::<serde_json::Map<String, Value>>()
        });
        let rest = rest.filter(|rest| !rest.is_empty()).map(Value::Object);
        if let Some(rest) = rest {
            out.row("result", "");
            let pretty = serde_json::to_string_pretty(&rest).unwrap_or_default();
            for line in pretty.lines() {
                out.line(&format!("    {}", whole(line)));
            }
        }
    }
    if attempt.turns.is_empty() {
        return;
    }
    out.row("on the way", "");
    for turn in &attempt.turns {
        let tone = match turn.kind {
            TurnKind::Says => Tone::Strong,
            TurnKind::Does => Tone::Good,
            TurnKind::Hears | TurnKind::Note => Tone::Dim,
        };
        let mut head = format!(
            "    {} ",
            out.paint(tone, &format!("{:<5}", turn.kind.as_str()))
        );
        for line in turn.text.lines() {
            out.line(format!("{head}{}", whole(line)).trim_end());
            head = " ".repeat(10);
        }
    }
}
