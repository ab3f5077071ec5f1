//! An attestation checked by what is in it and the keys that one trusts; nothing else is asked, no journal
//! and no network. Where the journal is at hand, it is held against it.

use super::envelope::Envelope;
use super::statement::{
    DECISIONS, LINK, PASSED, STATEMENT, SUMMARY, TEST_RESULT, record as subject_of,
};
use approval::{Attester, SIGNED, Words};
use kernel::{Decision, Time};
use report::look;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Replay, RunName};
use workspace::error::EngineError;
use workspace::project::Project;

/// Whom the person who checks believes.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'a> {
    /// The one key that may have signed; none: those of the approvers.
    pub key: Option<&'a Attester>,
    /// The text of an approvers file.
    pub approvers: Option<&'a str>,
}

/// What an attestation says that was found to be whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    pub run: String,
    pub seq: u64,
    pub head: String,
    /// What the subjects name besides the run: `git:work` and such.
    pub commits: Vec<(String, String)>,
    /// Files that they name by their SHA-256: the manifest of a release.
    pub files: Vec<(String, String)>,
    pub workflow: String,
    pub workflow_hash: String,
    /// `PASSED`, or what else the summary says.
    pub result: String,
    pub levels: Vec<String>,
    pub at: Time,
    pub keyid: String,
    pub fingerprint: String,
    /// As the approvers file calls who signed; empty where a key was given.
    pub signed_by: String,
    pub gates: usize,
    pub passed: Vec<String>,
    pub warned: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<Person>,
    pub journal: Journal,
}

/// A person's word, as the attestation has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The run that it was decided in: another one where this one left that.
    pub run: String,
    pub seq: u64,
    pub at: Time,
    pub option: String,
    pub because: String,
    /// As the journal names them.
    pub who: String,
    pub signature: People,
}

/// What a person's signature came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum People {
    /// There is none: typed at a terminal, or said by starting the run.
    None,
    /// By somebody who is listed.
    Listed(String),
    /// By this key, of which nobody here says whose it is.
    Unlisted(String),
}

/// What the journal here says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Journal {
    /// It is not here.
    Absent,
    /// It holds the record that is vouched for.
    Holds,
}

#[derive(Deserialize)]
struct Statement {
    #[serde(rename = "_type")]
    form: String,
    subject: Vec<Value>,
    #[serde(rename = "predicateType")]
    kind: String,
    predicate: Value,
}

#[derive(Deserialize)]
struct Decided {
    /// Where it was decided: another run where this one left that.
    run: String,
    seq: u64,
    at: Time,
    head: String,
    decision: Decision,
}

fn invalid(what: impl Into<String>) -> EngineError {
    EngineError::user(
        "attestation_invalid",
        what,
        "believe nothing of it; ask whoever made it for another, and where theirs lies",
    )
}

/// Checks a file of envelopes. `project` is where its journal may be.
pub fn verify(
    text: &str,
    trust: Trust<'_>,
    project: Option<&Project>,
) -> Result<Verified, EngineError> {
    let Some(whole) = text.strip_suffix('\n') else {
        return Err(invalid("its last line was cut"));
    };
    let lines: Vec<&str> = whole.split('\n').collect();
    let trusted = trusted(&lines, trust)?;
    let mut statements = Vec::new();
    let mut signer: Option<&Attester> = None;
    for (index, line) in lines.iter().enumerate() {
        let wrong = |why: String| invalid(format!("line {}: {why}", index + 1));
        let (value, key) = Envelope::open(line, &trusted).map_err(wrong)?;
        if signer.is_some_and(|signer| signer != key) {
            return Err(wrong(
                "another key signed it than the lines before".to_owned(),
            ));
        }
        signer = Some(key);
        let statement = Statement::deserialize(&value)
            .map_err(|error| wrong(format!("it holds no statement ({error})")))?;
        if statement.form != STATEMENT {
            return Err(wrong(format!("it holds no `{STATEMENT}`")));
        }
        statements.push(statement);
    }
    let (Some(signer), Some((summary, others))) = (signer, statements.split_last()) else {
        return Err(invalid("there is nothing in it"));
    };
    let mut verified = summed_up(summary, &lines)?;
    verified.keyid.clone_from(&signer.keyid);
    verified.fingerprint.clone_from(&signer.fingerprint);
    verified.signed_by.clone_from(&signer.who);
    let whole = subject_of(&verified.run, verified.seq, &verified.head);
    for (index, one) in others.iter().enumerate() {
        let wrong = |why: &str| invalid(format!("line {}: {why}", index + 1));
        if one.subject.first() != Some(&whole) {
            return Err(wrong("it is about another run, or another state of it"));
        }
        match one.kind.as_str() {
            LINK => verified.gates += 1,
            TEST_RESULT => {
                let names = |list: &str| texts(&one.predicate[list]);
                verified.passed = names("passedTests");
                verified.warned = names("warnedTests");
                verified.failed = names("failedTests");
            }
            DECISIONS => verified.decisions = people(&one.predicate, trust)?,
            _ => {
                return Err(wrong(
                    "it says something of a kind that this version does not know",
                ));
            }
        }
    }
    if let Some(project) = project {
        verified.journal = held(project, &verified)?;
    }
    Ok(verified)
}

/// The keys that may have signed. Whoever is listed must have been so when it was signed, by the summary's
/// own word: a key that is over signs nothing new unless its holder lies about the day.
fn trusted(lines: &[&str], trust: Trust<'_>) -> Result<Vec<Attester>, EngineError> {
    if let Some(key) = trust.key {
        return Ok(vec![key.clone()]);
    }
    let Some(approvers) = trust.approvers else {
        return Err(EngineError::user(
            "signer_unknown",
            "nothing here says whose signature to believe",
            "give the key with `--key KEY.pub`, or a list of them with `--approvers FILE`",
        ));
    };
    let at = lines.last().and_then(|line| claimed(line));
    approval::attesters(approvers, at.unwrap_or_else(workspace::clock::now))
}

/// When the summary says that it was signed; believed only once its signature has been checked.
fn claimed(line: &str) -> Option<Time> {
    use base64ct::{Base64, Encoding};
    let envelope: Value = serde_json::from_str(line).ok()?;
    let payload = Base64::decode_vec(envelope["payload"].as_str()?).ok()?;
    let statement: Value = serde_json::from_slice(&payload).ok()?;
    Time::parse(statement["predicate"]["timeVerified"].as_str()?)
}

fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    texts
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect()
}

/// The verdict, which names every line before it by its hash.
fn summed_up(summary: &Statement, lines: &[&str]) -> Result<Verified, EngineError> {
    let said = &summary.predicate;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if summary.kind != SUMMARY {
        return Err(invalid("its last line is no summary: it was cut"));
    }
    let inputs = said["inputAttestations"].as_array().into_iter().flatten();
    let inputs: Vec<String> = inputs.map(|one| text(&one["digest"]["sha256"])).collect();
    let before = &lines[..lines.len() - 1];
    let there: Vec<String> = before
        .iter()
        .map(|line| store::sha256_hex(line.as_bytes()))
        .collect();
    if inputs != there {
        return Err(invalid(
            "its summary names other statements than are there: one was left out, added or moved",
        ));
    }
    let whole = summary.subject.first().unwrap_or(&Value::Null);
    let about = &whole["annotations"];
    let (Some(run), Some(seq)) = (about["run"].as_str(), about["seq"].as_u64()) else {
        return Err(invalid("its summary names no run"));
    };
    let commits = summary.subject.iter().filter_map(|one| {
        let commit = one["digest"]["gitCommit"].as_str()?;
        Some((text(&one["name"]), commit.to_owned()))
    });
    let files = summary.subject.iter().skip(1).filter_map(|one| {
        let hash = one["digest"]["sha256"].as_str()?;
        Some((text(&one["name"]), hash.to_owned()))
    });
    let at = said["timeVerified"].as_str().and_then(Time::parse);
    let workflow = text(&said["policy"]["uri"]);
    Ok(Verified {
        run: run.to_owned(),
        seq,
        head: text(&whole["digest"]["sha256"]),
        commits: commits.collect(),
        files: files.collect(),
        workflow: workflow
            .strip_prefix("proofhouse:workflow/")
            .unwrap_or(&workflow)
            .to_owned(),
        workflow_hash: text(&said["policy"]["digest"]["sha256"]),
        result: text(&said["verificationResult"]),
        levels: texts(&said["verifiedLevels"]),
        at: at.ok_or_else(|| invalid("its summary has no date"))?,
        keyid: String::new(),
        fingerprint: String::new(),
        signed_by: String::new(),
        gates: 0,
        passed: Vec::new(),
        warned: Vec::new(),
        failed: Vec::new(),
        decisions: Vec::new(),
        journal: Journal::Absent,
    })
}

impl Verified {
    /// Does it say that the run came to a good end?
    pub fn is_passed(&self) -> bool {
        self.result == PASSED
    }
}

/// Every signature of a person, checked over the very words that it was given for.
fn people(predicate: &Value, trust: Trust<'_>) -> Result<Vec<Person>, EngineError> {
    let all = Vec::<Decided>::deserialize(&predicate["decisions"])
        .map_err(|error| invalid(format!("its decisions cannot be read: {error}")))?;
    let one = |one: Decided| {
        let Decision {
            option,
            because,
            who,
            channel,
            seen_seq,
            tree,
            with,
            signature,
        } = one.decision;
        let wrong = |why: &str| invalid(format!("`{option}` by {who}: {why}"));
        let words = Words {
            run: &one.run,
            seq: seen_seq,
            head: &one.head,
            tree: &tree,
            option: &option,
            because: &because,
        };
        if !approval::binds(&because, &with) {
            return Err(wrong("it carries what nobody has signed"));
        }
        let signature = match (&signature, trust.approvers) {
            (None, _) if channel.starts_with(SIGNED) => {
                return Err(wrong("it is said to be signed, and is not"));
            }
            (None, _) => People::None,
            (Some(pem), Some(approvers)) => {
                let signer = approval::verify(approvers, pem, &words, one.at);
                let signer = signer.map_err(|error| wrong(&error.what))?;
                if signer.principal != who {
                    return Err(wrong(&format!("{} signed it", signer.principal)));
                }
                People::Listed(signer.principal)
            }
            (Some(pem), None) => {
                let key = approval::signed_by(pem, &words);
                People::Unlisted(key.map_err(|error| wrong(&error.what))?)
            }
        };
        Ok(Person {
            run: one.run,
            seq: one.seq,
            at: one.at,
            option,
            because,
            who,
            signature,
        })
    };
    all.into_iter().map(one).collect()
}

/// Does the journal here hold the record that is vouched for? One that ends before it was cut.
fn held(project: &Project, verified: &Verified) -> Result<Journal, EngineError> {
    let there = RunName::new(&verified.run)
        .is_ok_and(|name| store::list(&project.journals()).is_ok_and(|all| all.contains(&name)));
    if !there {
        return Ok(Journal::Absent);
    }
    let name = look::run_name(project, &verified.run)?;
    let mut same = None;
    let read = store::Journal::read(&project.journals(), &name, Replay::default(), |record| {
        if record.seq == verified.seq {
            same = Some(record.hash == verified.head);
        }
        Ok(())
    })?;
    let differs = |what: String| {
        EngineError::user(
            "attestation_differs",
            what,
            "bring the journal back that was vouched for (`proofhouse records fetch`), or check the file where that run is",
        )
    };
    let (run, seq) = (&verified.run, verified.seq);
    match same {
        Some(true) => Ok(Journal::Holds),
        Some(false) => Err(differs(format!(
            "record {seq} of `{run}` is another one here than was vouched for"
        ))),
        None => Err(differs(format!(
            "the journal of `{run}` ends with record {} here, and {seq} was vouched for: it was cut",
            read.head.seq
        ))),
    }
}
