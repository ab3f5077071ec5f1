//! Which files of a change a run has proven. A file counts by its content: a squash, a rebase or a copy of
//! the commits changes nothing, and an edit after the proof does. It trusts no trailer, and no run whose
//! evidence has a finding.

use crate::decisions::APPROVERS;
use crate::finding::{About, RunAudit};
use crate::policy::{POLICY, Policy};
use crate::span::Span;
use kernel::machine::Activity;
use kernel::outcome::{CheckResult, Verdict, Worth};
use kernel::{Body, Machine};
use report::history::{History, history};
use report::look::peek_run;
use report::work::Work;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use workspace::error::EngineError;
use workspace::git::{TRAILER, git};
use workspace::project::Project;
use workspace::worktree;

/// What of a change is proven, and what is not.
#[derive(Debug, Serialize)]
pub struct Coverage {
    /// Where the change began: the last commit that both sides have.
    pub base: String,
    pub head: String,
    pub covered: Vec<Covered>,
    pub uncovered: Vec<Uncovered>,
}

/// A file whose content a run has proven.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    pub path: String,
    pub run: String,
    /// What the evidence for it is worth.
    pub worth: String,
}

/// A file that no run has proven as it stands.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Uncovered {
    pub path: String,
    /// Why no run counts for it.
    pub why: String,
    /// Does the policy say that one must?
    pub required: bool,
}

impl Coverage {
    /// Does everything that the policy asks for hold?
    pub fn suffices(&self) -> bool {
        self.uncovered.iter().all(|one| !one.required)
    }
}

/// The mode and the object of a file; none where it is not there.
type Content = Option<(String, String)>;

/// Does a link or another repository lie there, through which files are named that lie elsewhere?
fn leads(content: &Content) -> bool {
    content
        .as_ref()
        .is_some_and(|(mode, _)| ["120000", "160000"].contains(&mode.as_str()))
}

/// What git calls the mode.
fn mode(content: &Content) -> &str {
    content.as_ref().map_or("none", |(mode, _)| mode)
}

/// A file before and after.
type Step = (Content, Content);

/// What a run counts for.
struct Proven {
    run: String,
    worth: String,
    /// Why it does not count, if it does not.
    doubt: Option<String>,
    files: BTreeMap<String, Step>,
}

/// Holds a change against the runs of the repository, which have been audited.
pub fn covers(
    project: &Project,
    span: &Span,
    audits: &[RunAudit],
) -> Result<Coverage, EngineError> {
    let repo = project.top();
    let policy = span.there(repo, POLICY)?;
    let policy = policy.map_or_else(|| Ok(Policy::none()), |text| Policy::read(&text))?;
    if policy.signed() && span.there(repo, APPROVERS)?.is_none() {
        return Err(EngineError::user(
            "policy_invalid",
            format!(
                "{POLICY} asks for a signature, and nobody is listed in {APPROVERS} where the change is to go"
            ),
            format!(
                "commit {APPROVERS} there (`proofhouse approver add`); a change cannot name who signs for it"
            ),
        ));
    }
    let bases = span.began(repo)?;
    let proven = audits
        .iter()
        .filter_map(|audit| proven(project, audit, &policy).transpose())
        .collect::<Result<Vec<Proven>, EngineError>>()?;
    let mut coverage = Coverage {
        base: bases.first().cloned().unwrap_or_default(),
        head: span.head.clone(),
        covered: Vec::new(),
        uncovered: Vec::new(),
    };
    for (path, (before, after)) in all_changed(repo, &bases, span)? {
        match vouched_from(&proven, &path, &before, &after) {
            Ok(runs) => {
                let run = maker(repo, (&span.onto, &span.head), &path, &runs)?;
                coverage.covered.push(Covered {
                    path,
                    run: run.run.clone(),
                    worth: run.worth.clone(),
                });
            }
            Err(why) => coverage.uncovered.push(Uncovered {
                required: policy.requires(&path) || (leads(&after) && policy.requires_below(&path)),
                path,
                why,
            }),
        }
    }
    Ok(coverage)
}

/// Every file that a change makes another one: what it was in each commit that the change left its branch at, and
/// what it is. Where there are several, a merge may take any of them for what was there before; what lies where
/// the change is to go as it is in the change is no part of it then.
fn all_changed(
    repo: &Path,
    bases: &[String],
    span: &Span,
) -> Result<BTreeMap<String, (Vec<Content>, Content)>, EngineError> {
    let mut files: BTreeMap<String, (Vec<Content>, Content)> = BTreeMap::new();
    for base in bases {
        for (path, (before, after)) in changed(repo, base, &span.head, None)? {
            let file = files.entry(path).or_insert((Vec::new(), after));
            file.0.push(before);
        }
    }
    if bases.len() > 1 {
        let other = changed(repo, &span.onto, &span.head, None)?;
        files.retain(|path, _| other.contains_key(path));
    }
    Ok(files)
}

/// The runs that made a file what it is from everything that it may have been before.
fn vouched_from<'a>(
    proven: &'a [Proven],
    path: &str,
    before: &[Content],
    after: &Content,
) -> Result<Vec<&'a Proven>, String> {
    let mut runs = Vec::new();
    for before in before {
        runs = vouched(proven, path, before, after)?;
    }
    Ok(runs)
}

/// Which of several runs that made a file what it is made it here: the one that the last commit of this
/// change speaks of which touched the file, on the side of a merge that was kept. All of them count, so
/// nothing is believed here but a name.
fn maker<'a>(
    repo: &Path,
    (onto, head): (&str, &str),
    path: &str,
    runs: &[&'a Proven],
) -> Result<&'a Proven, EngineError> {
    let [first, _, ..] = runs else {
        return Ok(runs[0]);
    };
    let span = format!("{onto}..{head}");
    // A name that is no text cannot be asked for.
    let Some(name) = store::decode_path(path).filter(|name| name.to_str() == Some(path)) else {
        return Ok(first);
    };
    let name = format!(":(literal){}", name.display());
    let format = format!("--format=%(trailers:key={TRAILER},valueonly)");
    let args = ["log", "--no-merges", &format, &span, "--", &name];
    let told = git(repo, &args, &[])?;
    let told = String::from_utf8_lossy(&told);
    // `RUN@HEAD`.
    let mut named = told
        .lines()
        .filter_map(|line| line.trim().split('@').next());
    let by_commit = named.find_map(|name| runs.iter().find(|run| run.run == name));
    Ok(by_commit.unwrap_or(first))
}

/// The runs that made a file what it is, from what it was through runs alone; or why there is none. A run
/// that found something else there vouches for nothing of that.
fn vouched<'a>(
    proven: &'a [Proven],
    path: &str,
    before: &Content,
    after: &Content,
) -> Result<Vec<&'a Proven>, String> {
    let steps = || {
        let of = proven.iter();
        of.filter_map(|run| Some((run, run.files.get(path)?)))
    };
    let mut reached: BTreeSet<&Content> = BTreeSet::from([before]);
    loop {
        let many = reached.len();
        for (_, (from, to)) in steps().filter(|(run, _)| run.doubt.is_none()) {
            if reached.contains(from) {
                reached.insert(to);
            }
        }
        if reached.len() == many {
            break;
        }
    }
    let made = steps()
        .filter(|(run, (from, to))| run.doubt.is_none() && to == after && reached.contains(from));
    let made: Vec<&Proven> = made.map(|(run, _)| run).collect();
    if !made.is_empty() {
        return Ok(made);
    }
    let same = || steps().filter(|(_, (_, to))| to == after);
    let doubted = same().find_map(|(run, _)| Some((run, run.doubt.as_ref()?)));
    Err(if let Some((run, doubt)) = doubted {
        format!("`{}` made it, and {doubt}", run.run)
    } else if let Some((run, _)) = same().next() {
        format!(
            "`{}` made it of something else than lies where the change is to go, and nobody proved that",
            run.run
        )
    } else if let Some((run, (_, to))) = steps().next_back() {
        let object = |content: &Content| content.as_ref().map(|(_, object)| object.clone());
        match (after, to) {
            (None, _) => format!("it was deleted, and `{}` left it there", run.run),
            (_, None) => format!("`{}` deleted it, and it is there again", run.run),
            _ if object(after) == object(to) => format!(
                "`{}` proved this content with another mode: {} is not {}",
                run.run,
                mode(after),
                mode(to)
            ),
            _ => format!(
                "`{}` proved another content: it was edited or merged since",
                run.run
            ),
        }
    } else {
        match after {
            None => "it was deleted, and no run has done that",
            Some(_) => "no run has made it",
        }
        .to_owned()
    })
}

/// What a run made and may count for; none where it is no run with work of its own.
fn proven(
    project: &Project,
    audit: &RunAudit,
    policy: &Policy,
) -> Result<Option<Proven>, EngineError> {
    // Milestones and projects have their work in runs; what cannot be read has its finding.
    let Ok(work) = Work::of(project, &audit.run) else {
        return Ok(None);
    };
    let Ok(peek) = peek_run(project, &audit.run) else {
        return Ok(None);
    };
    let history = history(project, &audit.run)?;
    let noted = peek.machine.workflow().noted_check();
    let same = |one: &str, other: &str| {
        let commits = project.commits();
        commits.tree(one).ok() == commits.tree(other).ok()
    };
    let shown = shown(&history, noted, policy, &same);
    let mut broken = audit.findings.iter();
    let broken = broken.find(|one| one.about == About::Evidence);
    let doubt = if let Some(one) = broken {
        Some(format!("its audit says `{}`", one.code))
    } else if peek.machine.status().activity != Activity::Done {
        Some("is not done".to_owned())
    } else {
        match &shown {
            None if audit.worth.is_empty() => Some("nothing that was run shows it".to_owned()),
            None => Some(format!(
                "its evidence is {}, and the policy counts {} alone",
                audit.worth,
                policy.least()
            )),
            Some(shown) if policy.signed() && !shown.signed => {
                Some("nobody signed a decision behind its proof (`signed` of the policy): a run that asks a person, as it does without `--autonomy auto`, has one".to_owned())
            }
            Some(_) => None,
        }
    };
    let repo = project.top();
    let without = work.without();
    // Not what the run ended with, but what was judged last by something that is worth enough.
    let (tip, worth) = shown.map_or((work.tip, String::new()), |shown| {
        (shown.commit, shown.worth.as_str().to_owned())
    });
    let there =
        worktree::resolve(repo, &work.base)?.is_some() && worktree::resolve(repo, &tip)?.is_some();
    let files = match there {
        true => changed(repo, &work.base, &tip, without.as_deref())?,
        false => BTreeMap::new(),
    };
    Ok(Some(Proven {
        run: audit.run.clone(),
        worth,
        doubt,
        files,
    }))
}

/// The last commit of a run that an executed proof stands behind.
#[derive(Clone)]
struct Shown {
    commit: String,
    worth: Worth,
    /// Has somebody signed a decision since? A signature binds the journal up to there.
    signed: bool,
}

fn shown(
    history: &History,
    noted: Option<&str>,
    policy: &Policy,
    same: &dyn Fn(&str, &str) -> bool,
) -> Option<Shown> {
    let gates = history.gates(noted).into_iter();
    let passed: BTreeSet<_> = gates
        .filter(|gate| gate.passed)
        .map(|gate| gate.effect)
        .collect();
    let executed = |result: &CheckResult| {
        let plain = result.ran.is_some() && result.verdict == Verdict::Pass;
        Worth::of(result).or(plain.then_some(Worth::Weak))
    };
    let (mut last, mut found): (Option<(Worth, bool)>, Option<Shown>) = (None, None);
    // With each commit, what was shown by then.
    let mut by_commit: Vec<(&str, Option<Shown>)> = Vec::new();
    for event in history.events() {
        match &event.body {
            Body::GateEnded(ended) => {
                let worth = ended.results.iter().filter_map(executed).max();
                let worth = worth.filter(|_| passed.contains(&ended.effect));
                last = worth.map(|worth| (worth, false));
            }
            Body::CheckpointEnded(ended) => {
                let shown = last.take().filter(|(worth, _)| policy.is_met_by(*worth));
                if let (Some((worth, signed)), Some(commit)) = (shown, &ended.commit) {
                    // A later gate on the same files takes nothing from what an earlier one has shown.
                    let before = found.as_ref().filter(|one| same(&one.commit, commit));
                    found = Some(Shown {
                        worth: before.map_or(worth, |one| one.worth.max(worth)),
                        commit: commit.clone(),
                        signed,
                    });
                }
                let commit = ended.commit.as_deref();
                by_commit.extend(commit.map(|commit| (commit, found.clone())));
            }
            // A person went back: what later gates showed counts no more, and neither does what was signed for it.
            Body::Rewound(rewound) => {
                last = None;
                let then = by_commit
                    .iter()
                    .rfind(|(commit, _)| *commit == rewound.commit);
                found = then.and_then(|(_, shown)| shown.clone());
            }
            // Behind the proof, whether its commit was made before or comes after.
            Body::Decided(decision) if decision.signature.is_some() => {
                last.iter_mut().for_each(|(_, signed)| *signed = true);
                found.iter_mut().for_each(|shown| shown.signed = true);
            }
            _ => {}
        }
    }
    found
}

/// Every file that differs between two commits, and what it is in both.
fn changed(
    repo: &Path,
    from: &str,
    to: &str,
    without: Option<&str>,
) -> Result<BTreeMap<String, Step>, EngineError> {
    let mut args = vec![
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--no-abbrev",
        from,
        to,
        "--",
        ".",
    ];
    args.extend(without);
    let told = git(repo, &args, &[])?;
    let mut parts = told.split(|byte| *byte == 0);
    let mut files = BTreeMap::new();
    // `:OLDMODE NEWMODE OLD NEW STATUS`, then the path, which may be no text.
    while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
        let facts = String::from_utf8_lossy(facts);
        let path = store::encode_path(Path::new(OsStr::from_bytes(path)));
        let facts: Vec<&str> = facts.trim_start_matches(':').split(' ').collect();
        let [old_mode, mode, old, new, status] = facts.as_slice() else {
            continue;
        };
        let content = |mode: &str, object: &str| Some((mode.to_owned(), object.to_owned()));
        let before = content(old_mode, old).filter(|_| *status != "A");
        let after = content(mode, new).filter(|_| *status != "D");
        // A tree may name a file twice, and whoever reads it chooses: no run made that.
        let after = match files.contains_key(&path) {
            true => content("twice", new),
            false => after,
        };
        files.insert(path, (before, after));
    }
    Ok(files)
}
