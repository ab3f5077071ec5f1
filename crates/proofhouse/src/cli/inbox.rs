//! `proofhouse inbox`: everything that waits for a person, in one place.

use super::land::Lines;
use super::out::{Out, Tone, count, duration, folded, plain, uncut, whole};
use super::{exit, figures, land, signing};
use report::grounds::{Grounds, Said};
use report::inbox::Item;
use report::paper::Paper;
use report::question::{Advice, Way};
use report::unlanded::{self, Unlanded};
use serde_json::json;
use workspace::{EngineError, Project};

pub(crate) fn inbox(project: &Project, run: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let mut items = report::inbox::inbox(project)?;
    let mut finished = unlanded::all(project)?;
    if let Some(run) = run {
        report::look(project, run)?;
        items.retain(|item| item.run() == run);
        finished.retain(|(of, _)| of == run);
    }
    if out.json {
        let finished = finished.iter();
        let finished = finished.map(|(run, one)| json!({"run": run, "not_landed": one}));
        let items = items.iter().map(|item| json!(item));
        out.facts(&items.chain(finished).collect::<Vec<_>>());
        return Ok(exit::OK);
    }
    if items.is_empty() && finished.is_empty() {
        out.line("nothing waits for you");
    }
    for of_one in items.chunk_by(|one, other| one.run() == other.run()) {
        ask(out, project, of_one);
    }
    not_landed(out, finished.iter().map(|(run, one)| (run.as_str(), one)));
    Ok(exit::OK)
}

/// Work that is finished and nobody has taken, and the commands that end that.
pub(crate) fn not_landed<'a>(
    out: &Out,
    finished: impl Iterator<Item = (&'a str, &'a Unlanded)> + Clone,
) {
    match finished.clone().count() {
        0 => return,
        many => out.line(&format!("{many} finished, not landed:")),
    }
    for (run, one) in finished {
        if !one.is_plain() {
            out.line(&format!("  {}", plain(&one.words(run))));
        }
        out.line(&format!("  {}", one.commands.join("   or: ")));
    }
}

/// What a run or a project asks, the commands that answer, and what those want besides.
pub(crate) fn ask(out: &Out, project: &Project, items: &[Item]) {
    for item in items {
        if let Item::Unreadable { error, .. } = item {
            out.fault(error);
        }
        let Some(worded) = item.worded() else {
            continue;
        };
        // Whoever is asked reads the whole question.
        let waiting = out.paint(Tone::Warn, "waiting");
        out.hanging(&format!("{waiting} "), &uncut(&worded.headline));
        for line in &worded.lines {
            out.hanging("  ", &uncut(line));
        }
        if let Item::Run { run, grounds, .. } = item {
            shown(out, run, grounds, Lines::Some);
        }
        for way in &worded.answers {
            answer(out, way);
        }
    }
    if let Some(Item::Run { run, run_code, .. } | Item::Project { run, run_code, .. }) =
        items.last()
    {
        out.line(&signing::wants(project, run, run_code));
    }
}

/// As many lines of a file are shown beside the question.
const OF_A_PAPER: usize = 200;

/// A file that is to be read before the answer, and where all of it stands.
fn to_read(out: &Out, name: &str, paper: &Paper, lines: Lines) {
    let sections = match paper.sections.is_empty() {
        true => String::new(),
        false => format!(" ({})", plain(&paper.sections.join(", "))),
    };
    out.row(name, &format!("{}{sections}", plain(&paper.path)));
    if lines == Lines::None {
        return;
    }
    let mut text = paper.text.lines();
    for line in text.by_ref().take(OF_A_PAPER) {
        out.line(&format!("  | {}", whole(line)));
    }
    match text.count() {
        0 => {}
        more => out.line(&format!("  ... and {}", count(more as u64, "more line"))),
    }
}

/// A command that answers, and what it does: a remark to a shell, so that the line can be taken whole.
pub(crate) fn answer(out: &Out, way: &Way) {
    let best = match way.advice {
        Advice::Recommended => "   (recommended)",
        Advice::None => "",
    };
    let line = format!("  {}{best}", way.command);
    let does = plain(&way.does);
    let room = Out::columns().unwrap_or(usize::MAX);
    match does.as_str() {
        "" => out.line(&line),
        does if line.chars().count() + does.chars().count() + "   # ".len() <= room => {
            let does = out.paint(Tone::Dim, &format!("   # {does}"));
            out.line(&format!("  {}{does}{best}", way.command));
        }
        // Below it, still as remarks: who takes all the lines takes the command.
        does => {
            out.line(&line);
            let begins = "      # ";
            for part in folded(does, room.saturating_sub(begins.len())) {
                out.line(&out.paint(Tone::Dim, &format!("{begins}{part}")));
            }
        }
    }
}

/// As many lines of a failure say what it was; the page has all of them.
const OF_A_FAILURE: usize = 8;

/// As many files of a list are shown; where there are more, a file has all of them.
const OF_A_LIST: usize = 40;

/// As many answers of a state are shown with what they say.
const FEW_SAID: usize = 6;

/// What a person decides on: what was asked for and when, what changed, what was proven and what was
/// not, what it cost, and who worked.
pub(crate) fn shown(out: &Out, run: &str, grounds: &Grounds, lines: Lines) {
    let row = |name: &str, text: &str| out.row(name, text);
    if !grounds.objective.trim().is_empty() {
        row("objective", &uncut(&grounds.objective));
    }
    let now = workspace::clock::now();
    row(
        "age",
        &format!(
            "begun {} ago, has waited for {}",
            duration(now.since(grounds.began)),
            duration(now.since(grounds.last))
        ),
    );
    for told in &grounds.told {
        row("before", &uncut(&told.said));
        for answer in &told.answers {
            row("", &format!("-> {}", uncut(answer)));
        }
    }
    for paper in &grounds.papers {
        to_read(out, "to freeze", paper, lines);
    }
    if let Some(record) = &grounds.record {
        to_read(out, "record", record, lines);
    }
    let rejected = (
        "since it was sent back:",
        "--since-rejected",
        &grounds.since_rejected,
    );
    let approved = (
        "since you approved it:",
        "--since-approved",
        &grounds.since_approved,
    );
    for (when, flag, since) in [rejected, approved] {
        if let Some(since) = since {
            row("", when);
            land::change(out, &format!("{run} {flag}"), since, lines);
            row("", "all of it:");
        }
    }
    if let Some(change) = &grounds.change {
        land::change(out, run, change, lines);
    }
    for one in &grounds.frame {
        row("frame", &uncut(&one.words()));
    }
    if let Some(settled) = &grounds.settled {
        land::settled(out, settled);
    }
    for one in &grounds.criteria {
        let tone = match one.met {
            Some(true) => Tone::Good,
            Some(false) | None => Tone::Bad,
        };
        let (text, how) = (uncut(&one.text), uncut(&one.how));
        out.toned_row(tone, one.word(), &format!("{}: {text} ({how})", one.id));
    }
    for one in &grounds.open {
        out.toned_row(Tone::Bad, "open", &uncut(one));
    }
    for risk in &grounds.risks {
        out.toned_row(Tone::Bad, "risk", &uncut(risk));
    }
    for one in &grounds.proven {
        let states = one.states.join(", ");
        // What the engine asked by its own means has no command whose time was taken.
        let took = match one.millis {
            0 => String::new(),
            millis => format!(", {}", duration(millis)),
        };
        let (check, reason) = (plain(&one.check), uncut(&one.reason));
        let text = format!("{check} ({states}{took}): {reason}");
        out.toned_row(Tone::Good, "proven", &text);
    }
    if grounds.proven.is_empty() {
        row(
            "proven",
            "nothing: no command has passed that could have failed",
        );
    }
    worth(out, grounds);
    for said in grounds.said.chunk_by(|one, next| one.state == next.state) {
        said_in(out, said);
    }
    for maker in &grounds.makers {
        let said = match maker.summary.trim() {
            "" => "nothing",
            said => said,
        };
        let who = plain(&maker.words());
        row("maker says", &format!("{who}: {}", uncut(said)));
    }
    for look in &grounds.looks {
        let words = uncut(&look.words());
        row(
            "reviewed",
            &format!("{words}: {}", uncut(&look.who.summary)),
        );
    }
    for remark in &grounds.remarks {
        row("remark", &uncut(remark));
    }
    if let Some(unasked) = &grounds.unasked {
        for file in unasked.files.iter().take(OF_A_LIST) {
            out.toned_row(Tone::Bad, "unasked", &whole(file));
        }
        let more = unasked.files.len().saturating_sub(OF_A_LIST);
        if more > 0 {
            let more = count(more as u64, "more file");
            row(
                "",
                &format!("... and {more}; {} has all of them", unasked.kept),
            );
        }
    }
    for one in &grounds.cases {
        let text = format!("{}: {}", plain(&one.name), uncut(&one.clause));
        out.toned_row(Tone::Bad, "case", &text);
        for line in one.lines() {
            row("", &whole(&line));
        }
    }
    for one in &grounds.unproven {
        let (check, why) = (plain(&one.check), uncut(&one.why));
        let text = format!("{check} ({}): {why}", one.state);
        out.toned_row(Tone::Bad, "not proven", &text);
        let mut lines = one.failure.lines().filter(|line| !line.trim().is_empty());
        // What somebody found is judged by whoever reads this, and no output of a command.
        let most = if one.found { usize::MAX } else { OF_A_FAILURE };
        for line in lines.by_ref().take(most) {
            out.line(&format!(
                "              {}",
                out.paint(Tone::Dim, &whole(line))
            ));
        }
        match lines.count() {
            0 => {}
            more => out.line(&format!(
                "              ... and {}",
                count(more as u64, "more line")
            )),
        }
    }
    for one in &grounds.caught {
        let times = match one.times {
            1 => String::new(),
            times => format!(", {times} times"),
        };
        let found = uncut(&one.found);
        out.toned_row(
            Tone::Bad,
            "caught",
            &format!("{}{times}: {found}", one.what),
        );
    }
    cost(out, grounds);
    if let Some(exam) = &grounds.exam {
        row("exam", &figures::exam(exam));
    }
    for worker in &grounds.workers {
        row("by", &plain(&worker.words()));
    }
}

/// What passed evidence is worth, and what would be worth more.
pub(crate) fn worth(out: &Out, grounds: &Grounds) {
    if let Some(standing) = &grounds.worth {
        let worth = match standing.worth {
            "weak" => out.paint(Tone::Bad, standing.worth),
            worth => worth.to_owned(),
        };
        out.row("worth", &format!("{worth}: {}", standing.means));
        for tried in &standing.tried {
            out.row("", &uncut(tried));
        }
        if !standing.stronger.is_empty() {
            out.row("", &format!("for more, {}", standing.stronger));
        }
    }
}

/// Answers that no machine judges. Many of one state are a line; the page has each with its evidence.
fn said_in(out: &Out, said: &[Said]) {
    if said.len() > FEW_SAID {
        let ids = said.iter().map(|one| one.check.as_str());
        let ids: Vec<&str> = ids.map(|id| id.trim_start_matches("questions: ")).collect();
        let (state, ids) = (&said[0].state, plain(&ids.join(", ")));
        let many = count(said.len() as u64, "answer");
        let text = format!("{many} in {state}, each with its evidence on the page: {ids}");
        out.row("said", &text);
        return;
    }
    for one in said {
        let (check, reason) = (plain(&one.check), uncut(&one.reason));
        out.row("said", &format!("{check} ({}): {reason}", one.state));
    }
}

/// What it has cost so far.
pub(crate) fn cost(out: &Out, grounds: &Grounds) {
    let spend = &grounds.spend;
    let tokens = spend
        .usage
        .input_tokens
        .saturating_add(spend.usage.output_tokens);
    let usage = match spend.usage.is_nothing() && spend.untold > 0 {
        true => "no usage told".to_owned(),
        false => format!("{}, {}", spend.money(), count(tokens, "token")),
    };
    out.row(
        "cost",
        &format!(
            "{usage}, {}, {}",
            count(spend.attempts, "attempt"),
            duration(spend.millis)
        ),
    );
}
