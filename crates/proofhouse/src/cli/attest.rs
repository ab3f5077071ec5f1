//! `proofhouse attest` and `proofhouse verify`: a run vouched for with a key, and such a file checked.

use super::args::{Attest, Verify};
use super::out::{Out, Tone, count, plain};
use super::{exit, signing};
use ::audit::attest::{self, Attested, Journal, People, Trust, Verified};
use approval::{AttestKey, Attester};
use std::path::Path;
use workspace::git::{git, resolve};
use workspace::{EngineError, Project};

/// Where notes of commits lie that hold attestations.
const NOTES: &str = "refs/notes/proofhouse";

pub(crate) fn attest(project: &Project, args: &Attest, out: &Out) -> Result<u8, EngineError> {
    let key = AttestKey::read(&args.sign)?;
    let attested = attest::attest(&project.at_top(), &args.run, &key)?;
    if args.note {
        let Some(commit) = attested.commits.last() else {
            return Err(EngineError::user(
                "attestation_unplaced",
                format!("`{}` has made no commit that could carry a note", args.run),
                "keep it in a file: `--out FILE`",
            ));
        };
        keep(&project.at_top(), &attested, commit)?;
        if !out.json {
            out.line(&format!(
                "noted at {commit}: git notes --ref=proofhouse show {commit}"
            ));
        }
        if args.out.is_none() {
            if out.json {
                out.facts(&attested);
            }
            return Ok(exit::OK);
        }
    }
    let Some(path) = &args.out else {
        return signing::show(attested.bundle.as_bytes());
    };
    store::write_atomic(path, attested.bundle.as_bytes())?;
    if let Some(folder) = &args.links {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
        for (file, link) in &attested.links {
            store::write_atomic(&folder.join(file), link.as_bytes())?;
        }
    }
    if out.json {
        out.facts(&attested);
        return Ok(exit::OK);
    }
    out.line(&format!(
        "wrote {}: {} of `{}` up to record {}",
        plain(&path.display().to_string()),
        count(attested.statements as u64, "statement"),
        attested.run,
        attested.seq
    ));
    out.line(&format!("  signed by   {}", attested.fingerprint));
    out.line(&format!("  keyid       {}", attested.keyid));
    out.line(&format!(
        "  to check it: proofhouse verify {} --key KEY.pub",
        plain(&path.display().to_string())
    ));
    Ok(exit::OK)
}

/// Vouches for a run that has landed, in a note of its commit.
pub(crate) fn note(
    project: &Project,
    run: &str,
    commit: &str,
    key: &AttestKey,
) -> Result<Attested, EngineError> {
    let project = project.at_top();
    let noted = || -> Result<Attested, EngineError> {
        let attested = attest::attest(&project, run, key)?;
        keep(&project, &attested, commit)?;
        Ok(attested)
    };
    noted().map_err(|mut error| {
        error.what = format!(
            "`{run}` has landed as {commit}, and nobody vouches for it there: {}",
            error.what
        );
        error.mend = format!(
            "{}; then `proofhouse attest {run} --sign KEY`, and `git notes` for the commit",
            error.mend
        );
        error
    })
}

/// In a note of a commit. One that is there already stays: it may be somebody else's word.
fn keep(project: &Project, attested: &Attested, commit: &str) -> Result<(), EngineError> {
    let file = project.work(&attested.run).join("attestation.jsonl");
    let folder = file.parent().unwrap_or(project.top());
    std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    store::write_atomic(&file, attested.bundle.as_bytes())?;
    let path = file.display().to_string();
    let notes = format!("--ref={NOTES}");
    let args = ["notes", &notes, "add", "--file", &path, commit];
    let there = git(project.top(), &["notes", &notes, "list", commit], &[]).is_ok();
    let added = match there {
        true => Err(EngineError::user(
            "attestation_noted",
            format!("{commit} has a note already"),
            format!(
                "it may be somebody else's word: look at it (`git notes --ref=proofhouse show {commit}`), remove it if it may go (`git notes --ref=proofhouse remove {commit}`), or keep this one in a file (`--out FILE`)"
            ),
        )),
        false => git(project.top(), &args, &[]),
    };
    // Scratch of this one alone.
    let _ = std::fs::remove_file(&file);
    added.map(|_| ())
}

pub(crate) fn verify(
    project: Option<&Project>,
    args: &Verify,
    out: &Out,
) -> Result<u8, EngineError> {
    let text = std::fs::read_to_string(&args.file).map_err(|error| {
        EngineError::user(
            "attestation_invalid",
            format!("cannot read {}: {error}", args.file.display()),
            "give a file that `proofhouse attest` wrote",
        )
    })?;
    let key = args.key.as_deref().map(Attester::read).transpose()?;
    let read = |path: &Path| std::fs::read_to_string(path).map_err(EngineError::io("read", path));
    let approvers = match (&args.approvers, &key, project) {
        (Some(path), ..) => Some(read(path)?),
        // Who names a key asks for that one alone.
        (None, None, Some(project)) => project.at_top().read_approvers()?,
        (None, ..) => None,
    };
    let trust = Trust {
        key: key.as_ref(),
        approvers: approvers.as_deref(),
    };
    let top = project.map(Project::at_top);
    let verified = attest::verify(&text, trust, top.as_ref())?;
    if let Some(commit) = &args.commit {
        about(&verified, commit, top.as_ref())?;
    }
    match out.json {
        true => out.facts(&verified),
        false => told(&verified, out),
    }
    Ok(match verified.is_passed() {
        true => exit::OK,
        false => exit::USER,
    })
}

/// Refuses what is whole and vouches for something else: a good file of another run beside this commit.
fn about(verified: &Verified, name: &str, project: Option<&Project>) -> Result<(), EngineError> {
    let there = match project {
        Some(project) => resolve(project.top(), name)?,
        None => None,
    };
    let commit = there.as_deref().unwrap_or(name);
    if verified.commits.iter().any(|(_, one)| one == commit) {
        return Ok(());
    }
    let named: Vec<String> = verified.commits.iter().map(|(_, one)| plain(one)).collect();
    Err(EngineError::user(
        "attestation_of_another",
        format!(
            "it vouches for `{}` and {}, and not for {}",
            plain(&verified.run),
            match named.as_slice() {
                [] => "no commit".to_owned(),
                _ => named.join(", "),
            },
            plain(commit)
        ),
        "ask for the one of that commit (`git notes --ref=proofhouse show COMMIT`); where there is no repository, give the whole id",
    ))
}

fn told(verified: &Verified, out: &Out) {
    let word = match verified.is_passed() {
        true => out.paint(Tone::Good, "passed"),
        false => out.paint(Tone::Bad, &plain(&verified.result)),
    };
    let row = |name: &str, text: String| out.row(name, &text);
    out.line(&format!(
        "{word} {} of `{}`, up to record {}",
        plain(&verified.run),
        plain(&verified.workflow),
        verified.seq
    ));
    row("head", plain(&verified.head));
    for (name, commit) in &verified.commits {
        row("commit", format!("{} ({})", plain(commit), plain(name)));
    }
    for (name, hash) in &verified.files {
        row("file", format!("{} ({})", plain(hash), plain(name)));
    }
    let levels: Vec<String> = verified.levels.iter().map(|one| plain(one)).collect();
    row("shown", levels.join(", "));
    row(
        "checks",
        format!(
            "{} passed, {} noted, {} failed at the end; {} in all",
            verified.passed.len(),
            verified.warned.len(),
            verified.failed.len(),
            count(verified.gates as u64, "gate")
        ),
    );
    for one in &verified.failed {
        row("failed", plain(one));
    }
    for one in &verified.decisions {
        let by = match &one.signature {
            People::None => format!("{}, not signed", plain(&one.who)),
            People::Listed(who) => format!("signed by {}", plain(who)),
            People::Unlisted(key) => format!(
                "{}, signed by {key}; nobody here says whose key that is",
                plain(&one.who)
            ),
        };
        row("decided", format!("`{}`: {by}", plain(&one.option)));
    }
    let who = match verified.signed_by.as_str() {
        "" => String::new(),
        who => format!("{} ", plain(who)),
    };
    row(
        "signed by",
        format!("{who}{} at {}", verified.fingerprint, verified.at),
    );
    row(
        "journal",
        match verified.journal {
            Journal::Holds => "the one here holds that record".to_owned(),
            Journal::Absent => "not here, so not asked".to_owned(),
        },
    );
}
