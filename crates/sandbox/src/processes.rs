//! What `/proc` says about processes. `tree` signals them.

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

/// The process with this pid and every one whose number was given out after it. None where that can
/// not be told: numbers are given in rising order and then begin again from below.
///
/// It asks for each number, so the numbers of threads answer too; see [`is_whole`].
pub(crate) fn since(pid: i32) -> Option<Vec<Process>> {
    let (mut found, mut next) = (Vec::new(), pid);
    loop {
        let last = last_given()?;
        if last < next {
            // Nobody has come since the last round; unless the numbers have begun again.
            return (last >= pid).then_some(found);
        }
        if last - pid > MOST_ASKED {
            return None;
        }
        found.extend((next..=last).filter_map(process));
        next = last + 1;
    }
}

/// Beyond that many numbers, one look at all processes is cheaper.
const MOST_ASKED: i32 = 256;

/// The number that was given out last.
fn last_given() -> Option<i32> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().next_back()?.parse().ok()
}

/// Is it a process, and not one of a process's threads?
pub(crate) fn is_whole(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let group = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    group.and_then(|group| group.trim().parse().ok()) == Some(pid)
}

/// The environment of a process. One whose first thread has ended shows it in the others only.
fn environ(pid: i32) -> std::io::Result<Vec<u8>> {
    let first = fs::read(format!("/proc/{pid}/environ"))?;
    if !first.is_empty() {
        return Ok(first);
    }
    for thread in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        if let Ok(found) = fs::read(thread.path().join("environ"))
            && !found.is_empty()
        {
            return Ok(found);
        }
    }
    Ok(first)
}

/// Does the process carry this token in the environment that it was started with? Tokens nest:
/// `outer:inner`.
pub(crate) fn carries(pid: i32, token: &str) -> bool {
    // Unreadable means another user's process or a finished one: not ours to kill.
    let Ok(environ) = environ(pid) else {
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
        // One whose first thread has ended looks like a zombie while its other threads work on.
        life: match (*fields.first()?, fields.get(17)?.parse::<u64>().ok()?) {
            ("Z" | "X" | "x", 0 | 1) => Life::Dead,
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
    fn a_zombie_with_living_threads_is_alive() {
        let stat = |threads: u32| {
            format!("42 (a) Z 7 42 41 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 987 0 0")
        };
        let life = |threads| parse(42, &stat(threads)).map(|process| process.life);
        assert_eq!(life(1), Some(Life::Dead));
        assert_eq!(life(2), Some(Life::Alive));
    }

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

    #[test]
    fn those_who_came_later_are_found_by_their_numbers() {
        let mut child = std::process::Command::new("sleep")
            .arg("600")
            .spawn()
            .expect("there is a sleep");
        let pid = i32::try_from(child.id()).expect("a pid fits");
        // None on a machine that starts hundreds in this moment, which is an answer too.
        if let Some(found) = since(pid) {
            assert!(found.iter().any(|process| process.pid == pid));
            assert!(found.iter().all(|process| process.pid >= pid));
        }
        assert!(is_whole(pid));
        child.kill().expect("it can be killed");
        child.wait().expect("it has ended");
        assert!(!is_whole(pid));
        // A number that is still to come: the last one given is below it.
        assert_eq!(since(i32::MAX - 1), None);
    }

    #[test]
    fn a_thread_is_not_a_process() {
        let (send, receive) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let here = fs::read_link("/proc/thread-self").expect("there is a /proc");
            let own = here
                .file_name()
                .and_then(|name| name.to_str()?.parse().ok());
            let own: i32 = own.expect("a number");
            send.send((own, process(own), is_whole(own)))
                .expect("heard");
        });
        let (own, seen, whole) = receive.recv().expect("said");
        thread.join().expect("ended");
        assert!(seen.is_some_and(|seen| seen.pid == own) && !whole);
    }
}
