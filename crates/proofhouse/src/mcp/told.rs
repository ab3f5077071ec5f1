//! What clients are told of runs: where they stand, what waits for a person, what was proven and what failed.

use crate::cli::signing::takes_passkeys_alone;
use crate::found::key_of;
use kernel::Machine;
use kernel::machine::{Activity, Waiting};
use report::evidence::Evidence;
use report::inbox::{self, Item};
use report::kept::Kept;
use report::now::{self, Much};
use report::question::Worded;
use report::run::Report;
use workspace::{EngineError, Project};

pub(crate) fn status(project: &Project, run: &str) -> Result<String, EngineError> {
    let all = match run {
        "" => report::run::overview(project)?,
        run => {
            let looked = report::look::look(project, run)?;
            vec![(run.to_owned(), Report::of(project, run, &looked)?)]
        }
    };
    if all.is_empty() {
        return Ok("there is no run yet".to_owned());
    }
    let lines = all.iter().map(|(name, report)| {
        let taken = match engine::guest::open(project, name) {
            Ok(Some(_)) => "; it waits for a guest: `take` it",
            _ => "",
        };
        let state = report.status().map(|status| status.state.to_string());
        let fate = report
            .fate()
            .map_or_else(String::new, |fate| format!("; {}", fate.words()));
        let state = state.map_or_else(String::new, |state| format!(", in `{state}`"));
        let open = match report {
            Report::Run(run) => run.not_landed.as_ref().map(|open| {
                format!(
                    "; a person takes or leaves it: {}",
                    open.commands.join(" or ")
                )
            }),
            Report::Project(_) => None,
            Report::Unreadable { error, .. } => Some(format!(": {error}")),
        };
        format!(
            "`{name}`: {}{state}{fate}{taken}{}",
            report.doing().as_str(),
            open.unwrap_or_default()
        )
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Where people look and answer in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page<'a> {
    /// Nobody knows here whether one is served, nor where.
    Unknown,
    /// It is served at this origin, the repository under this name, and only shows.
    Shows { origin: &'a str, key: &'a str },
    /// It is served there, and takes answers.
    Decides { origin: &'a str, key: &'a str },
}

impl Page<'_> {
    /// Who answers what waits, and where.
    fn says_who_answers(self) -> String {
        match self {
            Page::Unknown => "Only the person answers: give them these commands, or the page of `proofhouse serve --decide`, \
                 where their passkey answers (http://localhost:7766/inbox/, unless they chose another port)."
                .to_owned(),
            Page::Shows { origin, .. } => format!(
                "Only the person answers: give them these commands; {origin}/inbox/ shows them the same."
            ),
            Page::Decides { origin, .. } => format!(
                "Only the person answers: give them these commands, or {origin}/inbox/, where their passkey answers."
            ),
        }
    }

    /// The page of one run, and what whoever opens it should know.
    pub(crate) fn of_run(self, project: &Project, run: &str) -> String {
        match self {
            Page::Unknown => format!(
                "http://localhost:7766/r/{}/run/{run}/ (`proofhouse serve --decide` serves it, and says where if they chose another port)",
                key_of(project)
            ),
            Page::Shows { origin, key } => format!(
                "{origin}/r/{key}/run/{run}/ (it only shows, until it is served by `proofhouse serve --decide`)"
            ),
            Page::Decides { origin, key } => format!("{origin}/r/{key}/run/{run}/"),
        }
    }
}

/// What a run asks that takes no key file: the page first, and no command that cannot answer.
fn with_a_passkey(
    project: &Project,
    (run, waiting): (&str, &Waiting),
    worded: &Worded,
    page: Page<'_>,
) -> String {
    let mut parts = vec![worded.headline.clone()];
    parts.extend(worded.lines.iter().map(|line| format!("  {line}")));
    let place = page.of_run(project, run);
    parts.push(format!("  a person answers with their passkey on {place}:"));
    parts.extend(waiting.options.iter().map(|option| {
        let does = waiting.means.get(option).map_or("", String::as_str);
        format!("    {option}   # {does}")
    }));
    parts.push(format!(
        "  or with an `sk-` key in a terminal: proofhouse decide {run} OPTION --because \"...\" --signature FILE (the same with `--message` prints what they sign)"
    ));
    parts.join("\n")
}

pub(crate) fn waiting(project: &Project, page: Page<'_>) -> Result<String, EngineError> {
    let items = inbox::inbox(project)?;
    if items.is_empty() {
        return Ok("nothing waits for a person".to_owned());
    }
    let by_key = |item: &Item| takes_passkeys_alone(project, item.run());
    let told = items.iter().map(|item| match (item.worded(), item) {
        (
            Some(worded),
            Item::Run {
                run, waiting_for, ..
            },
        ) if by_key(item) => with_a_passkey(project, (run, waiting_for), &worded, page),
        (Some(worded), _) => {
            let ways = worded
                .answers
                .iter()
                .map(|way| format!("  {}   # {}", way.command, way.does));
            let lines = worded.lines.iter().map(|line| format!("  {line}"));
            let parts = std::iter::once(worded.headline.clone())
                .chain(lines)
                .chain(ways);
            parts.collect::<Vec<_>>().join("\n")
        }
        (None, Item::Unreadable { run, error }) => format!("`{run}` cannot be read: {error}"),
        (None, item) => item.run().to_owned(),
    });
    let told: Vec<String> = told.collect();
    let who = match items.iter().all(by_key) {
        true => {
            "Only the person answers: give them the address and what each answer does.".to_owned()
        }
        false => page.says_who_answers(),
    };
    Ok(format!("{}\n\n{who}", told.join("\n\n")))
}

pub(crate) fn evidence(project: &Project, run: &str) -> Result<String, EngineError> {
    evidence_beside(project, run, "")
}

/// The same beside a text: what a command printed is not said again where it stands there.
pub(crate) fn evidence_beside(
    project: &Project,
    run: &str,
    beside: &str,
) -> Result<String, EngineError> {
    let (evidence, peek, _) = report::evidence::now(project, run, &mut Kept::default())?;
    let status = peek.machine.status();
    let mut lines = vec![format!(
        "`{run}` is in `{}`: {}",
        status.state,
        evidence.grounds.objective.trim()
    )];
    // First: what a gate said before it is of files that may be others by now.
    let over = matches!(status.activity, Activity::Done | Activity::Stopped);
    if let Some(refusal) = status
        .last_refusal
        .as_ref()
        .filter(|_| status.refusal_stands && !over)
    {
        lines.push(format!(
            "last refused: {} [{}]; mend: {}",
            refusal.what, refusal.code, refusal.mend
        ));
    }
    if let Some(change) = &evidence.grounds.change {
        lines.push(format!(
            "changed: {}",
            report::stat::totals(&change.changes)
        ));
        lines.extend(change.changes.iter().map(|one| format!("  {}", one.path)));
    }
    for one in &evidence.grounds.proven {
        lines.push(format!("proven by {}: {}", one.check, one.reason));
    }
    if let Some(standing) = &evidence.grounds.worth {
        lines.push(format!(
            "this evidence is {}: {}",
            standing.worth, standing.means
        ));
        lines.extend(standing.tried.iter().map(|one| format!("  {one}")));
        if !standing.stronger.is_empty() {
            lines.push(format!("  for more, {}", standing.stronger));
        }
    }
    lines.extend(wrong(&evidence, beside));
    Ok(lines.join("\n"))
}

/// What works in a run right now, since when, and what it said last; none: nothing does.
pub(crate) fn at_work(project: &Project, run: &str) -> Result<Option<String>, EngineError> {
    let status = report::look::peek_run(project, run)?.machine.status();
    let history = report::history::history(project, run)?;
    let doing = now::of(project, run, (&status, &history), Much::Last);
    let doing = doing.iter().map(|one| {
        let seconds = workspace::clock::now().since(one.began) / 1_000;
        let said = one.lines.last();
        let said = said.map_or_else(String::new, |line| format!(": {line}"));
        format!("{}, for {seconds} s{said}", one.what)
    });
    let doing: Vec<String> = doing.collect();
    Ok((!doing.is_empty()).then(|| doing.join("; ")))
}

/// What failed last in a run, whole; none: nothing did.
pub(crate) fn failed(project: &Project, run: &str) -> Result<Option<String>, EngineError> {
    let (evidence, ..) = report::evidence::now(project, run, &mut Kept::default())?;
    let lines = wrong(&evidence, "");
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

/// Does each line of a text stand in another?
fn stands_in(text: &str, other: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    !text.trim().is_empty() && lines.all(|line| other.contains(line))
}

fn wrong(evidence: &Evidence, beside: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let ended = evidence.attempts.iter().rev();
    let mut ended = ended.filter(|one| !["", "running"].contains(&one.note.ended.as_str()));
    if let Some(last) = ended.next().filter(|one| one.note.ended != "done") {
        let how = last.note.ended.replace('_', " ");
        lines.push(format!(
            "the last attempt ended as {how}: {}",
            last.note.reason
        ));
    }
    for gate in report::gate::latest(&evidence.gates)
        .into_iter()
        .filter(|gate| !gate.passed)
    {
        lines.push(format!("the gate of `{}` did not pass:", gate.state));
        let failed = gate.checks.iter().filter(|check| {
            !check.failure.is_empty() || check.answer != report::gate::Answer::Passed
        });
        for check in failed {
            lines.push(format!("  {}: {}", check.check, check.reason));
            match stands_in(&check.failure, beside) {
                true => lines.push("    (what it printed stands in the brief below)".to_owned()),
                false => lines.extend(check.failure.lines().map(|line| format!("    {line}"))),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::stands_in;

    #[test]
    fn what_a_command_printed_is_left_out_where_all_of_it_stands_beside() {
        let brief = "- check `suite` failed:\n  one is red\n  two is red\n";
        assert!(stands_in("one is red\n\n    two is red\n", brief));
        assert!(!stands_in("one is red\nthree is red\n", brief));
        assert!(!stands_in("", brief), "nothing was printed");
        assert!(!stands_in("one is red", ""), "there is nothing beside it");
    }
}
