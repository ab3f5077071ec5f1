//! `proofhouse approver`: who may decide. It adds a line; whoever wants one gone edits the file, as with every
//! other file of theirs, and the commit says who did.

use super::args::{ApproverCommand, Signing};
use super::exit;
use super::out::{Out, Tone, plain};
use super::signing::{approved, approved_unseen, show};
use approval::Words;
use workspace::project::Records;
use workspace::{EngineError, Project};

pub(crate) fn approver(
    project: &Project,
    command: &ApproverCommand,
    out: &Out,
) -> Result<u8, EngineError> {
    match command {
        ApproverCommand::List => list(project, out),
        ApproverCommand::Add { line, signing } => add(project, line, signing, out),
    }
}

fn list(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let listed = match project.read_approvers()? {
        Some(text) => approval::listed_in(&text)?,
        None => Vec::new(),
    };
    if out.json {
        let facts = listed.iter();
        let facts = facts.map(|one| serde_json::json!({"name": one.name, "key": one.key, "fingerprint": one.fingerprint}));
        out.facts(&facts.collect::<Vec<_>>());
        return Ok(exit::OK);
    }
    if listed.is_empty() {
        out.line("nobody is listed: whoever types the code at a terminal decides");
        return Ok(exit::OK);
    }
    let rows = listed.into_iter();
    let rows: Vec<Vec<String>> = rows
        .map(|one| vec![plain(&one.name), plain(&one.key), one.fingerprint])
        .collect();
    out.table(&["name", "key", "fingerprint"], &rows);
    Ok(exit::OK)
}

fn add(project: &Project, line: &str, signing: &Signing, out: &Out) -> Result<u8, EngineError> {
    let line = line.trim();
    if line.lines().count() > 1 {
        return Err(EngineError::user(
            "approvers_malformed",
            "one line adds one person",
            "say `approver add` once for each",
        ));
    }
    let new = approval::listed_in_line(line)?;
    let before = project.read_approvers()?;
    let text = before.clone().unwrap_or_default();
    let there = match &before {
        Some(text) => approval::listed_in(text)?,
        None => Vec::new(),
    };
    if there.iter().any(|one| one.fingerprint == new.fingerprint) {
        return Err(EngineError::user(
            "already_listed",
            format!("the key {} is listed already", new.fingerprint),
            "`proofhouse approver list` shows who may decide",
        ));
    }
    let head = store::sha256_hex(text.as_bytes());
    // Good for this repository and this day alone: an old signature brings nobody back.
    let root = workspace::git::git(project.top(), &["rev-list", "--max-parents=0", "HEAD"], &[]);
    let root = root
        .map(|said| workspace::git::text(&said).trim().to_owned())
        .unwrap_or_default();
    let today = workspace::clock::now().to_string();
    let because = format!(
        "{line}\non {} in the repository that began with {root}",
        &today[..10]
    );
    let words = Words {
        run: "approvers",
        seq: there.len() as u64,
        head: &head,
        tree: "",
        option: "add",
        because: &because,
    };
    if signing.message {
        return show(&approval::message(&words));
    }
    let by = match before {
        None if std::fs::File::open("/dev/tty").is_err() => {
            return Err(EngineError::user(
                "human_presence_required",
                "nobody is listed yet, so the first one is added at a terminal, and there is none",
                "run the command in a terminal, or write the line into .proofhouse/approvers yourself and commit it: who could do that decides who may decide",
            ));
        }
        // The first one; there is nobody who could sign.
        None => approved_unseen(project, None, &words)?,
        Some(_) => approved(project, signing, &words)?,
    };
    let mut after = text;
    if !after.is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    after.push_str(line);
    after.push('\n');
    project.prepare(Records::OnRef)?;
    workspace::project::write_file(&project.approvers(), &after)?;
    if out.json {
        out.facts(&serde_json::json!({"added": new.name, "fingerprint": new.fingerprint, "by": by.who, "channel": by.channel}));
        return Ok(exit::OK);
    }
    let how = match by.channel.strip_prefix(approval::SIGNED) {
        Some(key) => format!(" ({})", key.trim()),
        None => " at the terminal".to_owned(),
    };
    out.line(&format!(
        "{} {} ({}): may decide, says {}{how}",
        out.paint(Tone::Good, "added"),
        plain(&new.name),
        new.fingerprint,
        plain(&by.who),
    ));
    out.line("commit .proofhouse/approvers: what stands on the branch is what an audit holds decisions against");
    Ok(exit::OK)
}
