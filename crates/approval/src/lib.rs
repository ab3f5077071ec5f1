//! How a person's decision enters: signed with an SSH key that `.proofhouse/approvers` lists, or,
//! where nobody is listed, typed at a terminal. It refuses every other way in, above all stdin,
//! environment variables and anything that an agent returned.
//!
//! Each channel binds the decision to one moment of one run (its journal's head), so that a
//! signature or a code cannot be kept and used again later.
//!
//! The honest limit: a program that makes a pseudo-terminal of its own can type as well as a
//! person. The terminal stops mistakes and ordinary agents, which have no terminal; a signature
//! by a key that agents cannot read (best: one in hardware, which wants a touch) is the strong
//! channel. Neither helps if agents may write the approvers file, so it is outside of every view.

mod allowed;
mod attesting;
mod enrolled;
mod occasion;
pub mod passkey;
mod payload;
mod pinned;
mod signature;
mod stamp;
mod terminal;
#[cfg(test)]
mod tests;

pub use attesting::{ATTESTING, AttestKey, Attester, attesters};
pub use occasion::key_for_the_occasion;
pub use payload::{binds, bound};
pub use pinned::{admits, listed, to_pin};
pub use signature::{Signer, sign_with_key_file, signed_by, touch_missing, verify};
pub use terminal::{ControllingTerminal, Terminal, Who, confirm, run_code};

use kernel::Time;
use workspace::error::EngineError;

/// What a signature is for. A signature made for mail, files or git is none for a decision.
pub const NAMESPACE: &str = "proofhouse-decision";

/// How the words of every decision begin.
pub const FIRST_LINE: &str = "proofhouse decision v1\n";

/// What the channel of a signed decision begins with.
pub const SIGNED: &str = "ssh-signature";

/// The channel of a code that was typed, and what it is worth.
pub const TYPED: &str = "terminal (a typed code: whoever could read it could have typed it)";

/// What is decided, and on which state of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words<'a> {
    pub run: &'a str,
    /// The sequence number of the journal's last record.
    pub seq: u64,
    /// The hash of that record.
    pub head: &'a str,
    /// The tree that a gate had let pass last, of which the diff was shown; empty where there is none.
    pub tree: &'a str,
    /// The option taken.
    pub option: &'a str,
    /// Why.
    pub because: &'a str,
}

/// Somebody who may decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// The kind of key.
    pub key: String,
    pub fingerprint: String,
}

/// Everybody whom an approvers file lists.
pub fn listed_in(approvers: &str) -> Result<Vec<Listed>, EngineError> {
    let lines = allowed::parse(approvers)?.lines.into_iter();
    Ok(lines.map(listed_by).collect())
}

/// The one whom a line lists that somebody wants to add to it.
pub fn listed_in_line(line: &str) -> Result<Listed, EngineError> {
    allowed::parse_given(line).map(listed_by)
}

fn listed_by(line: allowed::Line) -> Listed {
    Listed {
        key: match enrolled::is_one(line.key.key_data()) {
            true => match enrolled::page(&line.comment) {
                Ok(page) => format!("passkey, enrolled at {page}"),
                Err(_) => "passkey, and its line names no page that it could sign on".to_owned(),
            },
            false => line.key.algorithm().to_string(),
        },
        fingerprint: line.key.fingerprint(ssh_key::HashAlg::Sha256).to_string(),
        name: line.principal,
    }
}

/// A decision that came through a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    /// Who: a principal of the approvers file, or the account at the terminal.
    pub who: String,
    /// `ssh-signature SHA256:...`, or [`TYPED`].
    pub channel: String,
    /// The armored signature, if it was signed.
    pub signature: Option<String>,
}

/// A channel through which a person can agree.
pub type Approve<'a> = dyn Fn(&Words<'_>) -> Result<Approved, EngineError> + 'a;

/// The bytes that are signed. Every value carries its length, so that no value can pose as the
/// next line; the text stays readable for whoever signs it.
pub fn message(words: &Words) -> Vec<u8> {
    let seq = words.seq.to_string();
    let mut text = FIRST_LINE.to_owned();
    let lines = [
        ("run", words.run),
        ("seq", &seq),
        ("head", words.head),
        ("tree", words.tree),
        ("option", words.option),
        ("because", words.because),
    ];
    // What older versions signed had no tree.
    let lines = lines
        .iter()
        .filter(|(name, value)| *name != "tree" || !value.is_empty());
    for (name, value) in lines {
        text.push_str(&format!("{name} {}: {value}\n", value.len()));
    }
    text.into_bytes()
}

/// Lets a decision in, or says what it lacks.
///
/// `approvers` is the text of `.proofhouse/approvers` if that file exists, `signature` an armored
/// SSH signature over [`message`].
pub fn approve(
    approvers: Option<&str>,
    signature: Option<&str>,
    terminal: &mut dyn Terminal,
    words: &Words,
    now: Time,
) -> Result<Approved, EngineError> {
    match (approvers, signature) {
        (Some(approvers), Some(pem)) => {
            let signer = verify(approvers, pem, words, now)?;
            Ok(Approved {
                channel: signer.channel(),
                who: signer.principal,
                signature: Some(pem.trim().to_owned()),
            })
        }
        (Some(_), None) => Err(EngineError::user(
            "signature_required",
            ".proofhouse/approvers exists, so a decision needs the signature of somebody it lists",
            format!(
                "add `--sign KEY`, answer on the page of `proofhouse serve --decide` with a passkey, or {}",
                signature::sign_elsewhere("KEY")
            ),
        )),
        (None, Some(_)) => Err(EngineError::user(
            "signer_unknown",
            "there is no .proofhouse/approvers, so nothing says whose signature this is",
            "list the key there (`NAME ssh-ed25519 AAAA...`, the allowed_signers format of \
             OpenSSH), or leave the signature out and confirm at a terminal",
        )),
        (None, None) => Ok(Approved {
            who: confirm(terminal, words)?.0,
            channel: TYPED.to_owned(),
            signature: None,
        }),
    }
}
