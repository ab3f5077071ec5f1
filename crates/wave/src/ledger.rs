//! `WAVE.md`, the ledger of a live wave: a view of the milestone's journal, written after it. It is
//! never read as truth; but one that does not have our form any more was edited by somebody who
//! meant something by it, so it is refused rather than written over.

use crate::board::{Slot, Stage, Wave};
use kernel::Refusal;

/// The ledger's file name.
pub const FILE: &str = "WAVE.md";
const COLUMNS: [&str; 8] = [
    "task",
    "run",
    "lease",
    "fork-base echo",
    "autonomy",
    "spawned",
    "timeout",
    "stage",
];
const PENDING: &str = "pending";
const SECTIONS: [&str; 3] = ["## Roster", "## Mid-wave decisions", "## Merge order"];

/// Text that cannot break a table or a list.
fn cell(text: &str) -> String {
    let text = text.replace('|', "/");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The ledger's text.
pub fn render(milestone: &str, wave: &Wave) -> String {
    let mut text = format!(
        "# Wave {} of {milestone}\n\nwave: {}\nopened: {}\nstatus: {}\nbase: {}\n\n{}\n\n",
        wave.number,
        wave.number,
        wave.opened,
        wave.phase().name(),
        wave.base,
        SECTIONS[0],
    );
    text.push_str(&line(&COLUMNS.map(str::to_owned)));
    text.push_str(&line(&COLUMNS.map(|_| "---".to_owned())));
    for slot in &wave.slots {
        text.push_str(&line(&row(slot)));
    }
    text.push_str(&format!("\n{}\n\n", SECTIONS[1]));
    if wave.decisions.is_empty() {
        text.push_str("- none\n");
    }
    for decision in &wave.decisions {
        text.push_str(&format!("- {}\n", cell(decision)));
    }
    text.push_str(&format!("\n{}\n\n", SECTIONS[2]));
    for (index, slot) in wave.slots.iter().enumerate() {
        let how = match &slot.stage {
            Stage::Merged { commit } => format!("merged as {commit}"),
            Stage::Failed { code, reason } => format!("{code}: {}", cell(reason)),
            Stage::Finished { commit, held: None } => format!("finished as {commit}"),
            Stage::Finished {
                held: Some(why), ..
            } => format!("held: {}", cell(why)),
            other => other.name().to_owned(),
        };
        text.push_str(&format!("{}. {}: {how}\n", index + 1, slot.row.task));
    }
    text
}

fn row(slot: &Slot) -> [String; 8] {
    let lease = match &slot.stage {
        Stage::Claimed { lease, until } => format!("{lease} until {until}"),
        _ => "none".to_owned(),
    };
    let stage = match &slot.stage {
        Stage::Waiting { reason, .. } => format!("waiting ({})", cell(reason)),
        other => other.name().to_owned(),
    };
    [
        slot.row.task.clone(),
        slot.row.run.clone(),
        lease,
        slot.echo.clone().unwrap_or_else(|| PENDING.to_owned()),
        slot.row.autonomy.to_string(),
        slot.spawned
            .map_or_else(|| "not yet".to_owned(), |at| at.to_string()),
        format!("{} ms", slot.row.timeout_millis),
        stage,
    ]
}

/// Is this a ledger of that wave, whatever moment it shows?
pub fn check(text: &str, milestone: &str, wave: &Wave) -> Result<(), Refusal> {
    let malformed = |what: String| {
        Refusal::new(
            "wave_ledger_malformed",
            format!("{FILE} of `{milestone}`: {what}"),
            "it is a view of the journal: move your copy away, and the next `proofhouse wave run` writes it anew",
        )
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut head = |wanted: String| match lines.next() {
        Some(line) if line == wanted => Ok(()),
        found => Err(malformed(format!(
            "`{wanted}` is expected where `{}` stands",
            found.unwrap_or("the end")
        ))),
    };
    head(format!("# Wave {} of {milestone}", wave.number))?;
    head(format!("wave: {}", wave.number))?;
    head(format!("opened: {}", wave.opened))?;
    let status = lines.next().unwrap_or_default();
    if !["status: live", "status: waiting", "status: merging"].contains(&status) {
        return Err(malformed(format!(
            "`{status}` is none of `status: live`, `status: waiting` and `status: merging`"
        )));
    }
    let mut head = |wanted: String| match lines.next() {
        Some(line) if line == wanted => Ok(()),
        found => Err(malformed(format!(
            "`{wanted}` is expected where `{}` stands",
            found.unwrap_or("the end")
        ))),
    };
    head(format!("base: {}", wave.base))?;
    head(SECTIONS[0].to_owned())?;
    head(line(&COLUMNS.map(str::to_owned)).trim_end().to_owned())?;
    head(
        line(&COLUMNS.map(|_| "---".to_owned()))
            .trim_end()
            .to_owned(),
    )?;
    for slot in &wave.slots {
        let found = lines.next().unwrap_or_default();
        let cells: Vec<&str> = found.trim_matches('|').split('|').map(str::trim).collect();
        let ours = row(slot);
        let fixed = [0, 1, 4, 6]
            .iter()
            .all(|at| cells.get(*at) == Some(&ours[*at].as_str()));
        if cells.len() != COLUMNS.len() || !fixed {
            return Err(malformed(format!(
                "the roster's row of `{}` reads `{found}`",
                slot.row.task
            )));
        }
        if ![PENDING, wave.base.as_str()].contains(&cells[3]) {
            return Err(malformed(format!(
                "the fork-base echo of `{}` reads `{}`, which is neither `{PENDING}` nor the base",
                slot.row.task, cells[3]
            )));
        }
    }
    let rest: Vec<&str> = lines.collect();
    let mut sections = rest.iter().filter(|line| !line.starts_with("- "));
    if sections.next() != Some(&SECTIONS[1]) || sections.next() != Some(&SECTIONS[2]) {
        return Err(malformed(format!(
            "`{}` and `{}` are expected after the roster",
            SECTIONS[1], SECTIONS[2]
        )));
    }
    for (index, slot) in wave.slots.iter().enumerate() {
        let wanted = format!("{}. {}: ", index + 1, slot.row.task);
        if !sections
            .next()
            .is_some_and(|line| line.starts_with(&wanted))
        {
            return Err(malformed(format!("the merge order lacks `{wanted}`")));
        }
    }
    match sections.next() {
        Some(more) => Err(malformed(format!("`{more}` is not ours"))),
        None => Ok(()),
    }
}

/// One line for the milestone's wave log.
pub fn digest(wave: &Wave, tip: &str) -> String {
    let mut parts = Vec::new();
    let mut part = |word: &str, pick: &dyn Fn(&Slot) -> Option<String>| {
        let names: Vec<String> = wave.slots.iter().filter_map(pick).collect();
        if !names.is_empty() {
            parts.push(format!("{} {word} ({})", names.len(), names.join(", ")));
        }
    };
    part("merged", &|slot| {
        matches!(slot.stage, Stage::Merged { .. }).then(|| slot.row.task.clone())
    });
    part("failed", &|slot| match &slot.stage {
        Stage::Failed { code, .. } => Some(format!("{}: {code}", slot.row.task)),
        _ => None,
    });
    part("released", &|slot| match &slot.stage {
        Stage::Merged { .. } | Stage::Failed { .. } => None,
        other => Some(format!("{}: {}", slot.row.task, other.name())),
    });
    let fell_back = if wave.sequential {
        "; fell back to one by one"
    } else {
        ""
    };
    format!(
        "wave {}: opened {}, base {}, {}, tip {tip}{fell_back}",
        wave.number,
        wave.opened,
        wave.base,
        parts.join(", "),
    )
}
