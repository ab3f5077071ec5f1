//! What `/proc` says about processes. It refuses to signal anything; `tree` does.

use std::fs;

/// One process, as far as finding a tree needs it. Pid and start time together name a process for
/// as long as the machine is up; a pid alone does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    pub(crate) start: u64,
    pub(crate) life: Life,
}

/// A zombie holds a pid and does nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Dead,
}

/// The process with this pid, if there is one.
pub(crate) fn process(pid: i32) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// All processes that can be seen.
pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .collect()
}

/// Does the process carry this token in the environment that it was started with? Tokens nest:
/// `outer:inner`.
pub(crate) fn carries(pid: i32, token: &str) -> bool {
    // Unreadable means another user's process or a finished one: not ours to kill.
    let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else {
        return false;
    };
    environ.split(|byte| *byte == 0).any(|variable| {
        variable
            .strip_prefix(crate::TREE_VARIABLE.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(|value| {
                value
                    .split(|byte| *byte == b':')
                    .any(|one| one == token.as_bytes())
            })
    })
}

/// Which boot this is, short. Start times begin again at every boot.
pub(crate) fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.chars()
        .filter(char::is_ascii_hexdigit)
        .take(12)
        .collect()
}

/// The program's name is in parentheses and may hold anything, parentheses too.
fn parse(pid: i32, stat: &str) -> Option<Process> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Process {
        pid,
        life: match *fields.first()? {
            "Z" | "X" | "x" => Life::Dead,
            _ => Life::Alive,
        },
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "42 (a) Z (b c)) S 7 42 41 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 987 0 0";
        assert_eq!(
            parse(42, stat),
            Some(Process {
                pid: 42,
                parent: 7,
                session: 41,
                start: 987,
                life: Life::Alive,
            })
        );
        assert_eq!(parse(42, "42 (cut"), None);
    }

    #[test]
    fn we_see_ourselves() {
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        assert!(all().iter().any(|process| process.pid == own));
        assert!(!carries(own, "no such token"));
        assert_eq!(boot().len(), 12);
    }
}
