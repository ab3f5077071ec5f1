//! What commits say of a journal: its head, as a trailer. It does not guess at a malformed one, and
//! names it.

use super::{git, with_input};
use crate::error::Error;
use std::collections::BTreeSet;
use std::path::Path;

/// The trailer's key.
pub const TRAILER: &str = "Proofhouse-Head";

/// A journal head that some commit vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub commit: String,
    pub run: String,
    /// The record's number.
    pub seq: u64,
    /// The record's hash.
    pub hash: String,
}

/// Every claim that a commit reachable from any ref makes, and every trailer that is malformed.
pub(crate) fn claims(repo: &Path) -> Result<(Vec<Claim>, Vec<String>), Error> {
    claims_by(repo, TRAILER)
}

/// The same, for another trailer.
pub fn claims_by(repo: &Path, key: &str) -> Result<(Vec<Claim>, Vec<String>), Error> {
    let grep = format!("--grep={key}:");
    let log = git(repo, &["log", "--all", &grep, &format_of(key)], &[])?;
    Ok(parsed(&log, key))
}

/// The claims of these commits alone, whether a ref leads to them or not. All of them must be there.
pub(crate) fn claims_of(repo: &Path, commits: &BTreeSet<&str>) -> Result<Vec<Claim>, Error> {
    let asked: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
    let args = ["log", "--no-walk", "--stdin", &format_of(TRAILER)];
    let log = with_input(repo, &args, asked.into_bytes())?;
    Ok(parsed(&log, TRAILER).0)
}

fn format_of(key: &str) -> String {
    format!("--format=%H%x09%(trailers:key={key},valueonly,separator=%x2C)")
}

fn parsed(log: &[u8], key: &str) -> (Vec<Claim>, Vec<String>) {
    let (mut claims, mut malformed) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(log).lines() {
        let Some((commit, trailers)) = line.split_once('\t') else {
            continue;
        };
        let (made, unlike) = claims_in(commit, trailers, key);
        claims.extend(made);
        malformed.extend(unlike);
    }
    (claims, malformed)
}

/// What the trailers of one commit claim, with commas between them, and those that are malformed.
pub(crate) fn claims_in(commit: &str, trailers: &str, key: &str) -> (Vec<Claim>, Vec<String>) {
    let (mut claims, mut malformed) = (Vec::new(), Vec::new());
    for trailer in trailers
        .split(',')
        .filter(|trailer| !trailer.trim().is_empty())
    {
        match parse_claim(commit, trailer.trim()) {
            Some(claim) => claims.push(claim),
            None => malformed.push(format!("commit {commit}: `{key}: {trailer}`")),
        }
    }
    (claims, malformed)
}

fn parse_claim(commit: &str, trailer: &str) -> Option<Claim> {
    let (run, rest) = trailer.split_once('@')?;
    let (seq, hash) = rest.split_once(':')?;
    let hex = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then_some(())?;
    Some(Claim {
        commit: commit.to_owned(),
        run: run.to_owned(),
        seq: seq.parse().ok()?,
        hash: hash.to_owned(),
    })
}
