//! Context snapshots: what a run knows, written anew after each consolidation and each gate run, and
//! never edited. Agents hand in drafts and evidence; only the machine composes a snapshot and
//! counts. It refuses to let a draft touch a counter, a verdict, or what an earlier snapshot says.

mod compose;
mod draft;
mod render;
mod rules;
mod shown;
mod unknown;

use kernel::effect::Known;
use kernel::outcome::{CheckResult, Verdict};
use kernel::snapshot::{Evidence, FactKind, Issue, Judged, Snapshot, SnapshotTaken};
use kernel::{Decision, Outcome, StateName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) use compose::compose;
pub use shown::Risk;
pub use unknown::LOOK_INTO;

const MOST_CHARS: usize = 600;
const MOST_LINES: usize = 60;

/// The `[snapshot]` table of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotSpec {
    /// Where snapshots lie, relative to the task folder.
    pub folder: String,
    /// The file that always holds the latest one.
    pub latest: String,
    /// The field whose change starts the counters anew.
    pub id: String,
    /// The fields of the header, in order.
    pub header: Vec<String>,
    /// The gates whose runs are counted, in order: name in the header, state.
    pub gates: Vec<(String, StateName)>,
    /// States whose passed gate is followed by a snapshot of the agent's draft.
    pub after: Vec<StateName>,
    /// States whose passed gate makes the agent's findings evidence.
    pub evidence: Vec<StateName>,
    /// The state in which each open issue that asks for it is looked into by an attempt of its own.
    pub unknowns: Option<StateName>,
    /// Do an audit's verdicts stand at their criteria until the code is edited, and a rejection among the
    /// issues? Snapshots of runs that began when a workflow could not say so are composed as they were.
    pub verdicts: bool,
    /// The rules that the run keeps, as its snapshots are composed anew. Under those above 1, what a person
    /// opened is closed by no agent, and one quote that is gone is told from several.
    pub rules: u32,
}

/// Why a snapshot is to be taken now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Due {
    /// What an agent wants in it.
    draft: Option<Value>,
    /// The gate that was run.
    ran: Option<Ran>,
    /// What a person has written into the header.
    #[serde(default)]
    edited: BTreeMap<String, String>,
    /// The number that was given out for it.
    #[serde(default)]
    number: Option<u32>,
    /// For a run's first: the latest one of the repository.
    #[serde(default)]
    after: Option<u32>,
    /// Evidence that does not stand any more; none where nobody has looked.
    #[serde(default)]
    stale: Option<BTreeSet<String>>,
    /// What a person said who sent the work back.
    #[serde(default)]
    rejected: Option<String>,
}

/// The check that looks whether what was quoted still stands, and what its words begin with.
const STILL_CITED: &str = "still_cited";
const STALE: &str = "stale-";

/// The result that tells a number of the repository's history. It is no check.
const HISTORY: &str = "history";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Ran {
    gate: String,
    passed: bool,
    /// What the engine saw, as evidence.
    evidence: String,
    /// What failed, in a line.
    wrong: String,
    /// The next action of the issue, where it failed.
    #[serde(default = "fix")]
    next: String,
}

/// What a check shows whose failure only this step can mend.
const NEXT: &str = "next-";

/// The next action where nothing else is said.
fn fix() -> String {
    "fix".to_owned()
}

/// What a run remembers of its snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Snapshots {
    latest: Option<Snapshot>,
    /// Evidence that no snapshot holds yet.
    pending: Vec<Evidence>,
    /// Every identity that a snapshot ever had.
    ids: BTreeSet<String>,
    evidence_serial: u32,
    fact_serial: u32,
    issue_serial: u32,
    due: Option<Due>,
    /// Unknowns that somebody has looked into since the state for them was entered.
    #[serde(default)]
    looked_into: BTreeSet<String>,
    /// What an audit said of criteria, until a snapshot holds it.
    #[serde(default)]
    judged: BTreeMap<String, Judged>,
    /// Reports on code that was edited since.
    #[serde(default)]
    overtaken: BTreeSet<String>,
}

/// What has just happened in the state that is being left.
pub(crate) struct Left<'a> {
    pub(crate) state: &'a StateName,
    pub(crate) passed: bool,
    pub(crate) outcome: Option<&'a Outcome>,
    pub(crate) results: &'a [CheckResult],
    pub(crate) decision: Option<&'a Decision>,
}

impl Snapshots {
    pub(crate) fn due(&self) -> Option<&Due> {
        self.due.as_ref()
    }

    /// What the latest snapshot's header says under this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = &self.latest.as_ref()?.header;
        let (_, held) = header.iter().find(|(known, _)| known == name)?;
        Some(held)
    }

    pub(crate) fn pending(&self) -> &[Evidence] {
        &self.pending
    }

    /// A state was left: takes its evidence, and sees whether a snapshot follows.
    pub(crate) fn left(&mut self, spec: Option<&SnapshotSpec>, left: &Left<'_>) {
        let Some(spec) = spec else {
            return;
        };
        let result = left.outcome.and_then(|outcome| outcome.result.as_ref());
        let from = self.whose(spec, left.state);
        self.looked_into.clear();
        if spec.evidence.contains(left.state) {
            // Without a passed gate nobody has looked at citations; a question is one all the same.
            let found = match (left.passed, result) {
                (true, Some(result)) => draft::evidence(result),
                (false, Some(result)) => draft::uncertainties(result),
                (_, None) => Vec::new(),
            };
            for lines in found {
                let judges = is_report(&lines);
                let id = self.add_evidence(&from, lines);
                let judged = result.filter(|_| judges && spec.verdicts);
                let judged = judged.map(draft::judgements);
                for (criterion, met) in judged.into_iter().flatten() {
                    let evidence = id.clone();
                    self.judged.insert(criterion, Judged { met, evidence });
                }
            }
            if let Some(decision) = left.decision.filter(|said| !said.because.is_empty()) {
                let line = format!("{} said: {}", decision.who, decision.because);
                self.add_evidence(&from, vec![line]);
            }
        }
        let told = |begins: &str| {
            let mut told = left.results.iter().filter(|one| one.check == HISTORY);
            told.find_map(|one| {
                let mut words = one.shows.iter();
                words.find_map(|word| word.as_str().strip_prefix(begins)?.parse().ok())
            })
        };
        let (number, after) = (told("iter-"), told("after-"));
        let gate = spec.gates.iter().find(|(_, state)| state == left.state);
        // A person who leads a run away from a gate has not run it.
        if let Some((gate, _)) = gate.filter(|_| !left.results.is_empty()) {
            let failing = |result: &&CheckResult| {
                result.verdict != Verdict::Pass && result.weight.is_binding()
            };
            let next = next(left.results.iter().filter(failing));
            let wrong: Vec<String> = left.results.iter().filter(failing).map(said).collect();
            let outcome = rules::word(left.passed);
            let mut lines = vec![format!("{gate} gate: {outcome}")];
            let seen = left.results.iter().filter(|one| one.check != HISTORY);
            lines.extend(seen.map(said));
            let evidence = self.add_evidence(&from, lines);
            self.due = Some(Due {
                number,
                after,
                stale: stale(left.results),
                ran: Some(Ran {
                    gate: gate.clone(),
                    passed: left.passed,
                    evidence,
                    wrong: line(&wrong.join("; ")),
                    next,
                }),
                ..Due::default()
            });
        } else if left.passed && spec.after.contains(left.state) {
            self.due = Some(Due {
                draft: Some(result.map_or(Value::Null, |result| result["snapshot"].clone())),
                number,
                after,
                stale: stale(left.results),
                ..Due::default()
            });
        } else if let Some(decision) = left
            .decision
            .filter(|said| spec.verdicts && said.option == REJECT)
        {
            let words = format!("{} rejected it: {}", decision.who, decision.because);
            let evidence = self.add_evidence(&from, vec![words.clone()]);
            self.due = Some(Due {
                rejected: Some(line(&format!("{words} ({evidence})"))),
                ..Due::default()
            });
        }
    }

    /// Somebody has worked: what a report says of code that was edited since is not so for certain.
    pub(crate) fn worked(&mut self, spec: Option<&SnapshotSpec>, outcome: &Outcome) {
        let is_code = |path: &String| !path.starts_with("task/");
        let verdicts = spec.is_some_and(|spec| spec.verdicts);
        if !verdicts || !outcome.changed.iter().any(is_code) {
            return;
        }
        let latest = self.latest.iter().flat_map(|latest| &latest.evidence);
        let reports = latest.chain(&self.pending);
        let reports = reports.filter(|one| is_report(&one.lines));
        let ids: Vec<String> = reports.map(|one| one.id.clone()).collect();
        self.overtaken.extend(ids);
    }

    /// A person wrote into fields: a header that changes is a new snapshot, before anything is done
    /// under it.
    pub(crate) fn edited(
        &mut self,
        spec: Option<&SnapshotSpec>,
        fields: &BTreeMap<String, String>,
    ) {
        let (Some(spec), Some(latest)) = (spec, &self.latest) else {
            return;
        };
        let mut edited = fields.clone();
        edited.retain(|name, value| {
            let held = latest.header.iter().find(|(known, _)| known == name);
            spec.header.contains(name) && held.is_none_or(|(_, held)| *held != line(value))
        });
        if edited.is_empty() {
            return;
        }
        let due = self.due.get_or_insert_with(Due::default);
        due.edited.extend(edited);
    }

    /// A person has led the run back: the header that holds is that of then, and what is known is known still.
    pub(crate) fn led_back(
        &mut self,
        spec: Option<&SnapshotSpec>,
        fields: &BTreeMap<String, String>,
    ) {
        let id = spec.and_then(|spec| fields.get(&spec.id));
        // A run that had no slice yet has no header that could hold.
        if id.is_some_and(|id| !id.trim().is_empty()) {
            self.edited(spec, fields);
        }
    }

    /// Gives the evidence its id.
    fn add_evidence(&mut self, from: &str, lines: Vec<String>) -> String {
        self.evidence_serial += 1;
        let id = format!("E-{:04}", self.evidence_serial);
        let lines = lines.iter().take(MOST_LINES).map(|one| line(one));
        self.pending.push(Evidence {
            id: id.clone(),
            from: from.to_owned(),
            lines: lines.collect(),
        });
        id
    }

    /// A snapshot was taken.
    pub(crate) fn taken(&mut self, taken: &SnapshotTaken) {
        let content = &taken.content;
        let highest = |ids: &mut dyn Iterator<Item = &String>| {
            let numbers = ids.filter_map(|id| id.get(2..)?.parse::<u32>().ok());
            numbers.max().unwrap_or(0)
        };
        let facts = highest(&mut content.facts.iter().map(|fact| &fact.id));
        let issues = highest(&mut content.open.iter().map(|issue| &issue.id));
        self.fact_serial = self.fact_serial.max(facts);
        self.issue_serial = self.issue_serial.max(issues);
        self.ids.insert(content.id.clone());
        self.pending.clear();
        self.judged.clear();
        self.due = None;
        self.latest = Some(content.clone());
    }

    /// The names that this run has given out, for checks.
    pub(crate) fn known(&self) -> Known {
        let mut known = Known::new();
        let mut put = |kind: &str, names: BTreeSet<String>| known.insert(kind.to_owned(), names);
        put("unknowns", self.unknown_names());
        let Some(latest) = &self.latest else {
            return known;
        };
        let evidence = latest.evidence.iter().chain(&self.pending);
        put("evidence", evidence.map(|one| one.id.clone()).collect());
        let facts = latest.facts.iter();
        put("facts", facts.clone().map(|fact| fact.id.clone()).collect());
        // What no fact rests on may be edited as it likes.
        let rests: BTreeSet<&String> = facts.clone().flat_map(|fact| &fact.evidence).collect();
        let quotes = latest.evidence.iter().chain(&self.pending);
        let quotes = quotes.filter(|one| rests.contains(&one.id));
        put("cited", quotes.filter_map(quoted).collect());
        let verdicts = facts.clone().filter_map(|fact| fact.judged.as_ref());
        let verdicts = verdicts.map(|judged| judged.evidence.clone());
        let verdicts = verdicts.filter(|id| !self.overtaken.contains(id));
        put("verdicts", verdicts.collect());
        put("iteration", BTreeSet::from([latest.iteration.to_string()]));
        let asks = |one: &&Evidence| {
            let mut lines = one.lines.iter();
            lines
                .next()
                .is_some_and(|line| line.starts_with("uncertain: "))
        };
        let questions = latest.evidence.iter().chain(&self.pending).filter(asks);
        put("questions", questions.map(|one| one.id.clone()).collect());
        let audited = facts.clone().filter(|fact| fact.by == "audit");
        put(
            "criteria by audit",
            audited.map(|fact| fact.id.clone()).collect(),
        );
        let criteria = facts
            .clone()
            .filter(|fact| fact.kind == FactKind::Criterion);
        put("criteria", criteria.map(|fact| fact.id.clone()).collect());
        let own = facts.filter(|fact| fact.kind == FactKind::Fact);
        put("retractable", own.map(|fact| fact.id.clone()).collect());
        let open = latest.open.iter().filter(|issue| issue.gate.is_none());
        let (people, own): (Vec<_>, Vec<_>) = open.partition(|issue| issue.person);
        let ids = |issues: Vec<&Issue>| issues.iter().map(|issue| issue.id.clone()).collect();
        put("issues", ids(own));
        if !people.is_empty() {
            put("people's issues", ids(people));
        }
        put("ids", self.ids.clone());
        put("id", BTreeSet::from([latest.id.clone()]));
        known
    }
}

/// What a person answers who sends work back.
const REJECT: &str = "reject";

/// How the first line of an audit's report begins.
const REPORT: &str = "audit ";

/// Is it an audit's report? A file's quote may begin alike.
fn is_report(lines: &[String]) -> bool {
    let first = lines.first().is_some_and(|line| line.starts_with(REPORT));
    first && !lines.iter().any(|line| line.starts_with(QUOTED))
}

/// What mends all that fails; a fix, where the checks do not name one and the same step.
fn next<'r>(failing: impl Iterator<Item = &'r CheckResult>) -> String {
    let named = failing.map(|result| {
        let mut words = result.shows.iter();
        words.find_map(|word| word.as_str().strip_prefix(NEXT))
    });
    let named: BTreeSet<Option<&str>> = named.collect();
    match named.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(step)] => (*step).to_owned(),
        _ => fix(),
    }
}

/// Evidence that quotes a file: its name, the path and the lines, for whoever looks whether they stand.
fn quoted(one: &Evidence) -> Option<String> {
    let (place, rest) = one.lines.split_first()?;
    let (path, _) = place.rsplit_once(':')?;
    let lines = rest.iter().map_while(|line| match line.as_str() {
        // A blank line of the file, without what it was kept with at its end.
        line if line == QUOTED.trim_end() => Some(""),
        line => line.strip_prefix(QUOTED),
    });
    let lines: Vec<&str> = lines.collect();
    // What was cut when it was kept is not there to the letter.
    let cut = lines.iter().any(|line| line.ends_with('…'));
    let whole = !lines.is_empty() && !cut && one.lines.len() < MOST_LINES;
    whole.then(|| format!("{}\n{path}\n{}", one.id, lines.join("\n")))
}

/// Evidence that a gate did not find any more; none where its gate does not look.
fn stale(results: &[CheckResult]) -> Option<BTreeSet<String>> {
    let mut looked = results.iter().filter(|one| one.check == STILL_CITED);
    let words = looked.next()?.shows.iter();
    let gone = words.filter_map(|word| word.as_str().strip_prefix(STALE));
    Some(gone.map(str::to_owned).collect())
}

fn said(result: &CheckResult) -> String {
    let output = result.ran.as_ref().map_or_else(String::new, |ran| {
        format!(" (output {})", ran.output.get(..12).unwrap_or_default())
    });
    format!(
        "{} {}: {}{output}",
        result.check,
        result.verdict.as_str(),
        result.reason
    )
}

/// What a quoted line of a file begins with.
const QUOTED: &str = "| ";

/// One capped line that cannot pass for a heading.
fn line(text: &str) -> String {
    // What is quoted is code: how far it is indented may be what it means.
    let joined = match text.starts_with(QUOTED) && !text.contains('\n') {
        true => text.trim_end().to_owned(),
        false => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let mut capped: String = joined.chars().take(MOST_CHARS).collect();
    if capped.len() < joined.len() {
        capped.push('…');
    }
    capped
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Word;

    #[test]
    fn a_quote_goes_on_after_a_blank_line() {
        let finding = serde_json::json!({"evidence": [{
            "path": "a.py", "line": 3, "snippet": "\ndef a():\n    b()\n  \n    c()\n", "note": "calls both",
        }]});
        let mut run = Snapshots::default();
        for lines in draft::evidence(&finding) {
            run.add_evidence("scout", lines);
        }
        let quoted = quoted(&run.pending[0]);
        assert_eq!(
            quoted.as_deref(),
            Some("E-0001\na.py\n\ndef a():\n    b()\n\n    c()")
        );
    }

    #[test]
    fn a_run_that_is_led_back_goes_on_under_the_header_of_then() {
        let source = crate::built_in("slice").unwrap();
        let workflow = crate::load(&source, &|_, _| Ok(())).unwrap();
        let spec = workflow.snapshot.as_ref();
        let fields = |cap: &str| {
            let fields = [("Slice ID", "S-0001"), ("Scope cap", cap)];
            BTreeMap::from(fields.map(|(name, value)| (name.to_owned(), value.to_owned())))
        };
        let mut run = Snapshots::default();
        let first = compose(spec.unwrap(), &run, &fields("later"), &Due::default());
        run.taken(&first);
        for same in [fields("later"), BTreeMap::new()] {
            run.led_back(spec, &same);
            assert!(run.due().is_none());
        }
        run.led_back(spec, &fields("then"));
        let due = run.due().cloned().unwrap();
        let again = compose(spec.unwrap(), &run, &BTreeMap::new(), &due);
        for line in ["Slice ID: S-0001\n", "Scope cap: then\n"] {
            assert!(again.text.contains(line), "{}", again.text);
        }
    }

    #[test]
    fn what_only_an_audit_mends_is_no_fix() {
        let failing = |shows: &[&str]| {
            let mut result = CheckResult::new("any", Verdict::Fail, "wrong");
            result
                .shows
                .extend(shows.iter().map(|word| Word::from(*word)));
            result
        };
        let audit = failing(&["next-audit"]);
        let command = failing(&["weak"]);
        assert_eq!(next([&audit].into_iter()), "audit");
        // Where something else fails too, the work is to be mended first.
        assert_eq!(next([&audit, &command].into_iter()), "fix");
        assert_eq!(next([&command].into_iter()), "fix");
        assert_eq!(next(std::iter::empty()), "fix");
    }
}
