//! What this process may use, looked at before anybody works: a limit that a confined start runs into
//! would cost an attempt for nothing, and again each time. A soft limit that is too low is raised.

use crate::error::Error;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that may be open at the least: roots of a confined process are opened before it starts.
const FILES: u64 = 128;
/// As many are asked for where the limit may be raised.
const BETTER: u64 = 1024;
/// Memory at the least, for ourselves and for a confined start.
const MEMORY: u64 = 256 << 20;

/// Refuses to begin where too little may be used.
pub fn suffice() -> Result<(), Error> {
    let files = getrlimit(Resource::Nofile);
    if files.current.is_some_and(|most| most < FILES) {
        let raised = Rlimit {
            current: Some(files.maximum.map_or(BETTER, |most| most.min(BETTER))),
            maximum: files.maximum,
        };
        // Where it cannot be raised, the next lines say so.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    let of = |resource| getrlimit(resource).current;
    judge(
        of(Resource::Nofile),
        "files may be open",
        FILES,
        "ulimit -n 1024",
    )?;
    judge(
        of(Resource::As),
        "bytes of memory may be addressed",
        MEMORY,
        "ulimit -v unlimited",
    )?;
    judge(
        of(Resource::Data),
        "bytes of memory may hold data",
        MEMORY,
        "ulimit -d unlimited",
    )
}

fn judge(most: Option<u64>, what: &str, least: u64, mend: &str) -> Result<(), Error> {
    match most {
        Some(most) if most < least => Err(Error::environment(
            "limits_too_low",
            format!(
                "only {most} {what} by this process, and {least} are needed; nothing was begun"
            ),
            format!("raise the limit (`{mend}`), and go on"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_little_is_said_with_its_number() {
        let refused = judge(Some(32), "files may be open", FILES, "ulimit -n 1024").unwrap_err();
        assert_eq!(refused.code, "limits_too_low");
        assert!(refused.what.contains("only 32 files"), "{refused}");
        judge(None, "x", FILES, "y").unwrap();
        judge(Some(FILES), "x", FILES, "y").unwrap();
    }
}
