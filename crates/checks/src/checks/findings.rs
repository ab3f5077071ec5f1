//! `findings`: a review's findings are dealt with. It refuses a severity that changed since the
//! finding was first reported, a finding that vanished, an open one that blocks, one that is closed
//! on the very code on which it was open, and one that was never open: every report that a gate has
//! seen is in the run's evidence. It does not take silence for a report without findings.

use crate::Subject;
use crate::error::Error;
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::paths;
use crate::settings::{Placed, SettingsError, Text, Texts};
use crate::text::{answer, first_few, label};
use documents::is_placeholder;
use documents::markdown::{self, Row};
use documents::says_none;
use documents::table::{Record, records};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// No blocking finding is open or closed without a change, none vanished, no severity changed.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Findings {
    /// JSON, or Markdown with a table: Id, Severity, Axis, Status.
    file: Placed,
    /// The heading over the table; the whole file.
    section: Option<Text>,
    /// Those that there are; Critical, Required, Optional, Note.
    #[serde(default = "severities")]
    severities: Texts,
    /// Those that may not be open; Critical, Required.
    #[serde(default = "blocking")]
    blocking: Texts,
    /// What closes one; fixed, resolved, closed.
    #[serde(default = "closed")]
    closed: Texts,
    /// Axes that the report must name, each at least once.
    #[serde(default)]
    axes: Texts,
}

/// A report, as it is kept for the gates that follow.
#[derive(Serialize, Deserialize, Default)]
struct Report {
    /// The repository that it is about, by hash.
    tree: String,
    findings: BTreeMap<String, Finding>,
}

#[derive(Serialize, Deserialize)]
struct Finding {
    severity: String,
    open: bool,
}

const COLUMNS: [&str; 4] = ["id", "severity", "axis", "status"];

fn severities() -> Texts {
    Texts::of(&["Critical", "Required", "Optional", "Note"])
}

fn blocking() -> Texts {
    Texts::of(&["Critical", "Required"])
}

/// Not `wontfix`: a finding that blocks is not closed by a reviewer who looks away.
fn closed() -> Texts {
    Texts::of(&["fixed", "resolved", "closed"])
}

/// As good as `none`, and what people write.
const NO_FINDINGS: &str = "no findings";

impl Judge for Findings {
    const NAME: &'static str = "findings";
    type Answer = Judged<CheckResult>;

    fn lint(&self) -> Result<(), SettingsError> {
        let known = |one: &String| self.severities.iter().any(|known| same(known, one));
        match self.blocking.iter().all(known) {
            true => Ok(()),
            false => Self::refuse("needs `blocking` to be some of `severities`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> Judged<CheckResult> {
        if subject.tree_after.is_empty() {
            let why = "no attempt came before, so nobody knows which code the report is about";
            return Err(Trouble::cannot(why));
        }
        let kept_as = format!("findings of {}", label(&self.file));
        let earlier = subject.earlier(&kept_as).map_err(Trouble::cannot)?;
        let (judged, report) = report(self, subject, &earlier);
        let (verdict, reason) = match judged {
            Ok(reason) => (Verdict::Pass, reason),
            Err(Trouble::Fails(reason)) => (Verdict::Fail, reason),
            Err(could_not_run) => return Err(could_not_run),
        };
        let mut result = answer(Self::NAME, verdict, &reason);
        // Kept whatever the verdict: the first report of a finding counts, not the first good one.
        let bytes = serde_json_canonicalizer::to_vec(&report).unwrap_or_default();
        let kept = subject.keep.keep(&kept_as, &bytes);
        let kept =
            kept.map_err(|why| Trouble::cannot(format!("the findings cannot be kept: {why}")))?;
        result.evidence.push(kept);
        Ok(result)
    }
}

fn same(left: &str, right: &str) -> bool {
    left.trim().to_lowercase() == right.trim().to_lowercase()
}

/// The verdict, and the report as it is kept.
fn report(wanted: &Findings, subject: &Subject<'_>, earlier: &[Vec<u8>]) -> (Judged, Report) {
    let file = &*wanted.file;
    let mut now = Report {
        tree: subject.tree_after.to_owned(),
        ..Report::default()
    };
    let read = paths::read(subject.place, file).and_then(|text| {
        let found = records(file, &text, wanted.section.as_deref(), &COLUMNS)?;
        Ok((text, found))
    });
    let (text, found) = match read {
        Ok(read) => read,
        Err(why) => return (Err(format!("{file} {why}").into()), now),
    };
    let mut wrong = collect(wanted, &found, &mut now);
    wrong.extend(unlisted(wanted, &text, &found));
    match read_all(earlier) {
        Ok(earlier) => {
            wrong.extend(born_closed(wanted, &earlier, &mut now));
            wrong.extend(against(wanted, &earlier, &now));
        }
        Err(why) => return (Err(Trouble::cannot(why)), now),
    }
    let open = |finding: &&Finding| finding.open;
    let blocking: Vec<String> = that_block(wanted, &now)
        .filter(|(_, finding)| finding.open)
        .map(|(id, finding)| format!("{id} ({})", finding.severity))
        .collect();
    if !blocking.is_empty() {
        wrong.push(format!("open: {}", first_few(&blocking, 8)));
    }
    let lower = text.to_lowercase();
    let unnamed = |axis: &&String| !lower.contains(&axis.to_lowercase());
    let unnamed: Vec<&String> = wanted.axes.iter().filter(unnamed).collect();
    if !unnamed.is_empty() {
        wrong.push(format!("it does not name: {}", first_few(&unnamed, 8)));
    }
    if !wrong.is_empty() {
        let reason = format!("{file}: {}", first_few(&wrong, 5));
        return (Err(reason.into()), now);
    }
    let (all, open) = (found.len(), now.findings.values().filter(open).count());
    let reason = format!("{all} findings, {open} open, none that blocks");
    (Ok(reason), now)
}

/// Takes the findings into the report, and says what is wrong with them.
fn collect(wanted: &Findings, found: &[Record], now: &mut Report) -> Vec<String> {
    let mut wrong = Vec::new();
    for finding in found {
        let (id, severity) = (&finding["id"], finding["severity"].to_lowercase());
        if is_placeholder(id) {
            wrong.push("a finding has no id".to_owned());
            continue;
        }
        if !wanted.severities.iter().any(|known| same(known, &severity)) {
            wrong.push(format!("{id} has the severity `{severity}`"));
        }
        let status = &finding["status"];
        let open = !wanted.closed.iter().any(|word| same(word, status));
        let kept = Finding { severity, open };
        if now.findings.insert(id.clone(), kept).is_some() {
            wrong.push(format!("{id} is used twice"));
        }
    }
    wrong
}

/// Findings that a Markdown report has, and not in its list. Prose has no status that we could
/// read, so a section without a table must say that there is nothing to list.
fn unlisted(wanted: &Findings, text: &str, found: &[Record]) -> Vec<String> {
    if wanted.file.ends_with(".json") {
        return Vec::new();
    }
    let sections = markdown::chosen(text, wanted.section.as_deref()).unwrap_or_default();
    let is_list = |columns: &Vec<String>| {
        let has = |wanted: &&str| columns.iter().any(|column| same(column, wanted));
        COLUMNS.iter().all(has)
    };
    let says_so = |text: &String| says_none(text) || same(text.trim_end_matches('.'), NO_FINDINGS);
    let listed = sections.iter().any(|section| {
        let first = section.content.lines().find(|line| !is_placeholder(line));
        section.tables.iter().any(is_list)
            || first.is_some_and(|line| says_so(&line.to_owned()))
                && section.points.iter().all(says_so)
    });
    let mut wrong = Vec::new();
    // A report of which the whole is the list has its axes and its prose in there, too.
    if wanted.section.is_some() && !listed {
        let columns = COLUMNS.join(", ");
        wrong.push(format!(
            "there is neither a table ({columns}) nor the word `none`"
        ));
    }
    let elsewhere = |row: &Row| {
        let id = row.cell("severity").and(row.cell("id"))?.trim();
        let here = found.iter().any(|finding| finding["id"] == id);
        (!here && !is_placeholder(id)).then(|| id.to_owned())
    };
    let elsewhere: Vec<String> = markdown::whole(text)
        .rows
        .iter()
        .filter_map(elsewhere)
        .collect();
    if !elsewhere.is_empty() {
        let named = first_few(&elsewhere, 8);
        wrong.push(format!("not in the list of findings: {named}"));
    }
    wrong
}

/// Findings that block and that no report has had open. They are not kept: whoever took one over
/// from elsewhere may leave it out.
fn born_closed(wanted: &Findings, earlier: &[Report], now: &mut Report) -> Vec<String> {
    let was_open = |id: &String| {
        let then = earlier.iter().filter_map(|report| report.findings.get(id));
        then.into_iter().any(|then| then.open)
    };
    let closed: Vec<String> = that_block(wanted, now)
        .filter(|(id, finding)| !finding.open && !was_open(id))
        .map(|(id, _)| id.clone())
        .collect();
    now.findings.retain(|id, _| !closed.contains(id));
    if closed.is_empty() {
        return Vec::new();
    }
    let named = first_few(&closed, 8);
    vec![format!("closed, and no report has had it open: {named}")]
}

fn that_block<'a>(
    wanted: &'a Findings,
    report: &'a Report,
) -> impl Iterator<Item = (&'a String, &'a Finding)> {
    let blocks = |finding: &Finding| {
        wanted
            .blocking
            .iter()
            .any(|one| same(one, &finding.severity))
    };
    report
        .findings
        .iter()
        .filter(move |(_, finding)| blocks(finding))
}

fn read_all(earlier: &[Vec<u8>]) -> Result<Vec<Report>, Error> {
    let read = |bytes: &Vec<u8>| {
        serde_json::from_slice(bytes).map_err(Error::undone("an earlier report cannot be read"))
    };
    earlier.iter().map(read).collect()
}

/// What cannot be, after these reports.
fn against(wanted: &Findings, earlier: &[Report], now: &Report) -> Vec<String> {
    let mut first: BTreeMap<&String, &String> = BTreeMap::new();
    for (id, finding) in earlier.iter().flat_map(|report| &report.findings) {
        first.entry(id).or_insert(&finding.severity);
    }
    let mut wrong: Vec<String> = first
        .iter()
        .filter_map(|(id, then)| {
            let severity = &now.findings.get(*id)?.severity;
            (severity != *then)
                .then(|| format!("{id} was first reported as {then}, not {severity}"))
        })
        .collect();
    let lost = |id: &&&String| !now.findings.contains_key(**id);
    let lost: Vec<&&String> = first.keys().filter(lost).collect();
    if !lost.is_empty() {
        wrong.push(format!("not reported any more: {}", first_few(&lost, 8)));
    }
    let open_on_it = |id: &String| {
        let open = |report: &Report| report.findings.get(id).is_some_and(|then| then.open);
        let mut same_code = earlier.iter().filter(|report| report.tree == now.tree);
        same_code.any(open)
    };
    let unmended: Vec<&String> = that_block(wanted, now)
        .filter(|(id, finding)| !finding.open && open_on_it(id))
        .map(|(id, _)| id)
        .collect();
    if !unmended.is_empty() {
        let named = first_few(&unmended, 8);
        wrong.push(format!(
            "closed, and the code is as it was when it was open: {named}"
        ));
    }
    wrong
}
