//! What commits say of a journal: its head, as a trailer. It does not guess at a malformed one, and
//! names it.

use super::git;
use crate::error::Error;
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
pub fn claims(repo: &Path) -> Result<(Vec<Claim>, Vec<String>), Error> {
    claims_by(repo, TRAILER)
}

/// The same, for another trailer.
pub fn claims_by(repo: &Path, key: &str) -> Result<(Vec<Claim>, Vec<String>), Error> {
    let format = format!("--format=%H%x09%(trailers:key={key},valueonly,separator=%x2C)");
    let grep = format!("--grep={key}:");
    let log = git(repo, &["log", "--all", &grep, &format], &[])?;
    let (mut claims, mut malformed) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&log).lines() {
        let Some((commit, trailers)) = line.split_once('\t') else {
            continue;
        };
        for trailer in trailers
            .split(',')
            .filter(|trailer| !trailer.trim().is_empty())
        {
            match parse_claim(commit, trailer.trim()) {
                Some(claim) => claims.push(claim),
                None => malformed.push(format!("commit {commit}: `{key}: {trailer}`")),
            }
        }
    }
    Ok((claims, malformed))
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
