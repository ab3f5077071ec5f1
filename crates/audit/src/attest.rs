//! What a run shows, for whoever has neither its journal nor this program: in-toto statements, each in a
//! DSSE envelope, signed with an SSH key. Only what an audit bears out is vouched for, and only of a run
//! that is over or a project that is released.

mod envelope;
mod statement;
mod verify;

pub use verify::{Journal, People, Person, Trust, Verified, verify};

use crate::finding::{About, Asked, Rigour};
use crate::forked::Lineage;
use approval::AttestKey;
use envelope::Envelope;
use factory::machine::Factory;
use kernel::machine::Activity;
use kernel::{Body, Decision, EffectId, Time};
use report::fate::Fate;
use report::gate::Gate;
use report::history::History;
use report::look::{self, Looked};
use report::work::Work;
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Head, Replay};
use workspace::error::EngineError;
use workspace::project::Project;
use workspace::secrets::Secrets;

/// What was written, and whose key vouches for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attested {
    pub run: String,
    pub seq: u64,
    /// The hash of that record, which stands for the whole journal up to it.
    pub head: String,
    /// The commits that it is about.
    pub commits: Vec<String>,
    pub result: &'static str,
    pub statements: usize,
    pub keyid: String,
    pub fingerprint: String,
    /// One envelope on each line.
    #[serde(skip)]
    pub bundle: String,
    /// The last passed gate of every state as a link of the older form, under the name of its file.
    #[serde(skip)]
    pub links: BTreeMap<String, String>,
}

/// A record's place, by which it can be found again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The run that it was made in: another one where this one left that.
    run: String,
    seq: u64,
    hash: String,
    prev: String,
}

/// Everything that statements are made of.
struct Told {
    run: String,
    workflow: String,
    workflow_hash: String,
    head: Head,
    activity: Activity,
    /// Name and commit: what the run made, and where it landed as it was proven; what a project released.
    commits: Vec<(&'static str, String)>,
    /// Name and SHA-256 of what else it is about: the manifest of a release.
    files: Vec<(String, String)>,
    /// The oldest first, with the tree that each let pass.
    gates: Vec<(Gate, Place, Option<String>)>,
    decisions: Vec<(Time, Decision, Place)>,
    at: Time,
}

/// Vouches for a run with a key.
pub fn attest(project: &Project, run: &str, key: &AttestKey) -> Result<Attested, EngineError> {
    sound(project, run)?;
    let told = told(project, run)?;
    // Journals hold no key by their making; what leaves the house is looked through once more.
    let secrets = Secrets::of(&project.config()?, project.top());
    let seal = |statement: serde_json::Value| -> Result<String, EngineError> {
        Ok(Envelope::seal(&secrets.json(statement), key)?.line())
    };
    let mut lines: Vec<String> = Vec::new();
    for gate in &told.gates {
        lines.push(seal(statement::link(&told, gate))?);
    }
    lines.push(seal(statement::decisions(&told))?);
    lines.push(seal(statement::test_result(&told))?);
    let inputs: Vec<String> = lines
        .iter()
        .map(|line| store::sha256_hex(line.as_bytes()))
        .collect();
    lines.push(seal(statement::summary(&told, &inputs))?);
    let public = key.public();
    let mut links = BTreeMap::new();
    for one in told.gates.iter().filter(|(gate, ..)| gate.passed) {
        let file = format!("{}.{}.link", one.0.state, &public.keyid[..8]);
        links.insert(file, seal(statement::former_link(&told, one))?);
    }
    let bundle = lines.join("\n") + "\n";
    // Nothing leaves the house that would be refused elsewhere.
    let trust = Trust {
        key: Some(public),
        approvers: None,
    };
    verify(&bundle, trust, None)?;
    Ok(Attested {
        seq: told.head.seq,
        head: told.head.hash.clone(),
        commits: told.commits.iter().map(|(_, id)| id.clone()).collect(),
        result: statement::result(&told),
        statements: lines.len(),
        keyid: public.keyid.clone(),
        fingerprint: public.fingerprint.clone(),
        bundle,
        links,
        run: told.run,
    })
}

/// Refuses to vouch for what an audit does not bear out.
fn sound(project: &Project, run: &str) -> Result<(), EngineError> {
    let asked = Asked {
        run: Some(run),
        rigour: Rigour::Usual,
        span: None,
    };
    let reports = crate::audit(project, asked)?;
    let broken = reports.iter().flat_map(|report| &report.findings);
    let broken: Vec<String> = broken
        .filter(|one| one.about == About::Evidence)
        .map(|one| format!("{}: {}", one.code, one.what))
        .collect();
    match broken.first() {
        None => Ok(()),
        Some(first) => Err(EngineError::user(
            "evidence_altered",
            format!("what `{run}` claims does not hold any more: {first}"),
            format!("`proofhouse audit {run}` names all of it; nobody can vouch for that"),
        )),
    }
}

fn told(project: &Project, run: &str) -> Result<Told, EngineError> {
    let looked = look::look(project, run)?;
    let status = looked.status();
    if !matches!(status.activity, Activity::Done | Activity::Stopped) {
        return Err(EngineError::user(
            "not_over",
            format!("`{run}` is not over: it stands in `{}`", status.state),
            "vouch for it when it is; `proofhouse status` shows what it waits for",
        ));
    }
    let mut history = History::default();
    let mut places: BTreeMap<EffectId, (Place, Option<String>)> = BTreeMap::new();
    let mut decisions = Vec::new();
    let name = look::run_name(project, run)?;
    let (lineage, _) = Lineage::of(project, run);
    let read = store::Journal::read(&project.journals(), &name, Replay::default(), |record| {
        let event = look::event(&record)?;
        let (of, prev) = lineage.origin(record.seq).unwrap_or((run, record.prev));
        let place = Place {
            run: of.to_owned(),
            seq: record.seq,
            hash: record.hash.to_owned(),
            prev: prev.to_owned(),
        };
        match &event.body {
            Body::GateEnded(ended) => {
                places.insert(ended.effect, (place, ended.tree.clone()));
            }
            Body::Decided(decision) => decisions.push((event.at, decision.clone(), place)),
            _ => {}
        }
        history.take(&event);
        Ok(())
    })?;
    let noted = match &looked {
        Looked::Run(peek) => peek.machine.workflow().noted_check(),
        Looked::Project(_) => None,
    };
    let placed = |gate: Gate| {
        let (place, tree) = places.get(&gate.effect)?.clone();
        let gate = match &looked {
            Looked::Run(_) => gate,
            Looked::Project(_) => of_its_task(gate),
        };
        Some((gate, place, tree))
    };
    let gates = history
        .gates(noted)
        .into_iter()
        .filter_map(placed)
        .collect();
    let about = match &looked {
        Looked::Run(peek) => Delivered {
            policy: peek.machine.workflow().hash.clone(),
            commits: commits(project, run, &peek.machine)?,
            files: Vec::new(),
        },
        Looked::Project(peek) => released(project, run, &peek.machine)?,
    };
    Ok(Told {
        run: run.to_owned(),
        workflow: status.workflow.clone(),
        workflow_hash: about.policy,
        head: read.head,
        activity: status.activity,
        commits: about.commits,
        files: about.files,
        gates,
        decisions,
        at: workspace::clock::now(),
    })
}

/// What it was held to, and what came of it.
struct Delivered {
    policy: String,
    commits: Vec<(&'static str, String)>,
    files: Vec<(String, String)>,
}

/// One task's gate is another than the next one's.
fn of_its_task(gate: Gate) -> Gate {
    let state = match gate.subject.as_str() {
        "" => gate.state.clone(),
        // It becomes the name of a file, too.
        subject => format!("{}-{}", subject.replace('/', "-"), gate.state),
    };
    Gate { state, ..gate }
}

/// A project is about its last release: the manifest as it lies there, and the commit on the project's branch.
/// It was held to its spec. The audit has compared all three with the journal.
fn released(project: &Project, run: &str, machine: &Factory) -> Result<Delivered, EngineError> {
    let hash = |path: &str| -> Result<String, EngineError> {
        let path = project.home().join(path);
        let bytes = std::fs::read(&path).map_err(EngineError::io("read", &path))?;
        Ok(store::sha256_hex(&bytes))
    };
    let mut about = Delivered {
        policy: hash("project/spec.json")?,
        commits: Vec::new(),
        files: Vec::new(),
    };
    let good = machine.releases().iter().rev().find(|one| one.passed());
    if let Some(release) = good {
        let id = &release.release_id;
        let manifest = hash(&format!("state_store/releases/{id}.json"))?;
        about
            .files
            .push((format!("proofhouse:release/{id}"), manifest));
        let commit = engine::factory::release_commit(project, run, id);
        about
            .commits
            .extend(commit.map(|commit| ("git:release", commit)));
    }
    Ok(about)
}

/// The run's last commit, and the one on a branch that holds the same tree. One that was merged with other
/// work is no commit that the run's gates have seen.
fn commits(
    project: &Project,
    run: &str,
    machine: &flow::Flow,
) -> Result<Vec<(&'static str, String)>, EngineError> {
    // A run without a commit has made nothing that git knows.
    let Ok(work) = Work::of(project, run) else {
        return Ok(Vec::new());
    };
    let mut commits = vec![("git:work", work.tip.clone())];
    if let Some(Fate::Landed { commit, .. }) = Fate::of(project, run, machine) {
        let (_, made) = work.trees(project, run)?;
        let there = format!("{commit}^{{tree}}");
        let there = workspace::git::git(project.top(), &["rev-parse", &there], &[])?;
        if workspace::git::text(&there) == made && commit != work.tip {
            commits.push(("git:landed", commit));
        }
    }
    Ok(commits)
}
