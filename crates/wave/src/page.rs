//! `MILESTONE.md`: a person's page with two parts of ours, where the tasks stand and the wave log.
//! Everything else in it is the person's and stays. The wave log only grows: one that lost a line is
//! refused, so that no wave's ledger goes before its digest is there.

use crate::board::{Board, Stage};
use crate::milestone::Milestone;
use kernel::Refusal;
use kernel::outcome::Verdict;
use serde::Serialize;

/// The page's file name.
pub const FILE: &str = "MILESTONE.md";
const STATE: &str = "proofhouse:state";
const LOG: &str = "proofhouse:wave-log";

/// The page's text, with the parts of ours renewed in `old`.
pub fn render(milestone: &Milestone, board: &Board, old: Option<&str>) -> Result<String, Refusal> {
    let fresh = || {
        format!(
            "# {}\n\n{}\n\n{}\n\n## Wave log\n\n{}\n",
            milestone.name,
            milestone.goal.trim(),
            part(STATE, ""),
            part(LOG, ""),
        )
    };
    let mut text = old.map_or_else(fresh, str::to_owned);
    let log = board.digests.iter().map(|digest| format!("- {digest}\n"));
    let log: String = log.collect();
    if let Some(held) = inside(&text, LOG)
        && !log.starts_with(&held)
    {
        return Err(Refusal::new(
            "digest_not_absorbed",
            format!(
                "the wave log in {FILE} of `{}` is not what the journal says of earlier waves",
                milestone.name
            ),
            "it is append-only: put its lines back, or delete the whole part, and it is written anew",
        ));
    }
    for (name, body) in [(STATE, state(milestone, board)), (LOG, log)] {
        match range(&text, name) {
            Some((from, to)) => text.replace_range(from..to, &body),
            None => text.push_str(&format!("\n{}\n", part(name, &body))),
        }
    }
    Ok(text)
}

/// Is every digest on the page?
pub fn absorbed(text: &str, board: &Board) -> bool {
    let log = inside(text, LOG).unwrap_or_default();
    let mut digests = board.digests.iter();
    digests.all(|digest| {
        log.lines()
            .any(|line| line.strip_prefix("- ") == Some(digest))
    })
}

fn part(name: &str, body: &str) -> String {
    format!("<!-- {name} -->\n{body}<!-- /{name} -->")
}

fn range(text: &str, name: &str) -> Option<(usize, usize)> {
    let open = format!("<!-- {name} -->\n");
    let from = text.find(&open)? + open.len();
    let to = from + text[from..].find(&format!("<!-- /{name} -->"))?;
    Some((from, to))
}

fn inside(text: &str, name: &str) -> Option<String> {
    range(text, name).map(|(from, to)| text[from..to].to_owned())
}

/// Where a task stands, in a word.
pub fn stands(milestone: &Milestone, board: &Board, slug: &str) -> String {
    let slot = board.wave.as_ref().and_then(|wave| wave.slot(slug));
    if let Some(slot) = slot {
        return match &slot.stage {
            Stage::Ready => "ready".to_owned(),
            Stage::Waiting { reason, .. } => format!("waiting for a person ({reason})"),
            other => other.name().to_owned(),
        };
    }
    if board.merged.contains_key(slug) {
        return "merged".to_owned();
    }
    let task = milestone.task(slug);
    let missing: Vec<&str> = task
        .into_iter()
        .flat_map(|task| &task.depends_on)
        .filter(|other| !board.merged.contains_key(*other))
        .map(String::as_str)
        .collect();
    match board.failed.get(slug) {
        Some(failed) if failed.times >= milestone.tries => format!("failed ({})", failed.code),
        _ if !missing.is_empty() => format!("needs {}", missing.join(", ")),
        Some(failed) => format!("ready again after {}", failed.code),
        None => "ready".to_owned(),
    }
}

const HOLDS: &str = "holds";
const TICKED: &str = "ticked by ";

/// One exit criterion, as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct CriterionReport {
    /// From 1.
    pub number: usize,
    /// As written.
    pub text: String,
    /// In a few words.
    pub stands: String,
}

/// What is known of every criterion on the present tip.
pub fn criteria(milestone: &Milestone, board: &Board) -> Vec<CriterionReport> {
    let goal = board.goal.as_ref();
    let goal = goal.filter(|goal| Some(&goal.commit) == board.tip.as_ref());
    let mut results = goal.into_iter().flat_map(|goal| &goal.results);
    let mut all = Vec::new();
    for (index, criterion) in milestone.criteria.iter().enumerate() {
        let ticked = board.ticked.get(&criterion.text);
        let ticked = ticked.filter(|ticked| goal.is_some_and(|goal| goal.commit == ticked.commit));
        let result = criterion.verify.as_ref().and_then(|_| results.next());
        let stands = match (&criterion.verify, result, ticked) {
            (None, _, Some(ticked)) => format!("{TICKED}{}", ticked.said.who),
            (None, _, None) if goal.is_some() => "waits for a person".to_owned(),
            (Some(_), Some(result), _) if result.verdict == Verdict::Pass => HOLDS.to_owned(),
            (Some(_), Some(_), _) => "does not hold".to_owned(),
            _ => "not tried yet".to_owned(),
        };
        all.push(CriterionReport {
            number: index + 1,
            text: criterion.text.clone(),
            stands,
        });
    }
    all
}

fn state(milestone: &Milestone, board: &Board) -> String {
    let mut text = String::new();
    let unproven = milestone.unproven();
    let ready = if milestone.criteria.is_empty() {
        "no exit criteria".to_owned()
    } else if unproven.is_empty() {
        "every criterion names its proof".to_owned()
    } else {
        format!(
            "no: {} without a proof (goal_not_auto_ready)",
            unproven.len()
        )
    };
    text.push_str(&format!("goal-ready: {ready}\n\n"));
    for criterion in criteria(milestone, board) {
        let (mark, by) = match criterion.stands.as_str() {
            HOLDS => ("x", String::new()),
            ticked if ticked.starts_with(TICKED) => ("x", format!(" ({ticked})")),
            _ => (" ", String::new()),
        };
        text.push_str(&format!("- [{mark}] {}{by}\n", criterion.text.trim()));
    }
    if !milestone.criteria.is_empty() {
        text.push('\n');
    }
    text.push_str("| task | depends on | stands |\n|---|---|---|\n");
    for task in &milestone.tasks {
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            task.slug,
            task.depends_on.join(", "),
            stands(milestone, board, &task.slug)
        ));
    }
    text
}
