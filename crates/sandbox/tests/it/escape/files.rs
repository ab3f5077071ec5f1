//! Files that are not the process's business.

use super::{Cell, REACHED, reached, root, skip};
use crate::text;
use std::os::unix::fs::symlink;

#[test]
fn journals_sealed_sources_and_keys_do_not_exist() {
    let cell = Cell::new();
    for name in ["journal.jsonl", "sealed.rs", "approvers_key"] {
        std::fs::write(cell.outside.join(name), "secret\n").unwrap();
        cell.denies(&format!("cat \"$OUT/{name}\" && echo {REACHED}"));
        cell.denies(&format!("ls -l \"$OUT/{name}\" && echo {REACHED}"));
    }
    cell.denies(&format!("ls \"$OUT\" && echo {REACHED}"));
}

#[test]
fn what_is_allowed_is_there() {
    let cell = Cell::new();
    let script =
        format!("cat \"$IN/file\" \"$READ/file\" && echo new >\"$IN/new\" && echo {REACHED}");
    let ended = cell.confined(&script);
    assert!(reached(&ended), "{}", text(&ended.output));
    assert!(cell.inside.join("new").exists());
}

#[test]
fn the_password_file_is_not_there() {
    if !root() {
        return skip("root: without it, /etc/shadow is closed anyway");
    }
    Cell::new().denies(&format!("cat /etc/shadow >/dev/null && echo {REACHED}"));
}

#[test]
fn a_planted_symlink_leads_nowhere() {
    let cell = Cell::new();
    symlink(cell.outside.join("file"), cell.inside.join("link")).unwrap();
    symlink(&cell.outside, cell.inside.join("folder")).unwrap();
    symlink("../../outside", cell.inside.join("relative")).unwrap();
    cell.denies(&format!("cat link && echo {REACHED}"));
    cell.denies(&format!("cat folder/file && echo {REACHED}"));
    cell.denies(&format!("echo more >>link && echo {REACHED}"));
    cell.denies(&format!("cat \"$IN/../outside/file\" && echo {REACHED}"));
}

#[test]
fn nothing_outside_is_written() {
    let cell = Cell::new();
    for script in [
        "echo x >>\"$OUT/file\"",
        "touch \"$OUT/new\"",
        "ln file \"$OUT/linked\"",
        "echo x >>\"$READ/file\"",
        "touch \"$READ/new\"",
        "chmod 777 \"$READ/file\"",
        "mv \"$READ/file\" moved && mv moved \"$READ/file\"",
    ] {
        cell.denies(&format!("{script} && echo {REACHED}"));
    }
    // Beside the roots there may be scratch space; what is written there is not written here.
    let beside = cell.outside.parent().unwrap().join("beside");
    cell.confined("touch \"$OUT/../beside\" \"$IN/../beside\"");
    assert!(!beside.exists());
    cell.free("touch \"$OUT/../beside\"");
    assert!(beside.exists());
}

#[test]
fn the_engine_is_not_in_proc() {
    let cell = Cell::new();
    for script in [
        "cat /proc/$ENGINE/environ >/dev/null",
        "cd /proc/$ENGINE/root && ls >/dev/null",
        "ls /proc/$ENGINE/fd/ >/dev/null",
        "ls /proc/$ENGINE/cwd/ >/dev/null",
    ] {
        cell.denies(&format!("{script} && echo {REACHED}"));
    }
}

#[test]
fn the_first_process_inside_is_a_copy_of_us_and_tells_nothing() {
    let cell = Cell::new();
    // Inside it is pid 1; without a policy the same is tried on the engine.
    let first = "if [ -e /proc/$ENGINE ]; then P=$ENGINE; else P=1; fi;";
    for what in [
        "cat /proc/$P/environ >/dev/null",
        "readlink /proc/$P/fd/* | grep -q .",
        "cat /proc/$P/status >/dev/null",
        "cat /proc/$P/maps >/dev/null",
        "cd /proc/$P/root && ls >/dev/null",
        "head -c 1 /proc/$P/mem; [ $? -eq 1 ] && : </proc/$P/mem",
    ] {
        cell.denies(&format!("{first} {what} && echo {REACHED}"));
    }
}

#[test]
fn the_kernels_own_switches_cannot_be_turned() {
    if !root() {
        return skip("root: without it, /proc/sys is closed anyway");
    }
    // Opened for writing and nothing written: harmless without a policy.
    Cell::new().denies(&format!(
        ": >>/proc/sys/kernel/core_pattern && echo {REACHED}"
    ));
}

#[test]
fn devices_cannot_be_made() {
    if !root() {
        return skip("root: without it, no device can be made anyway");
    }
    let cell = Cell::new();
    cell.denies(&format!("mknod disk b 8 0 && rm disk && echo {REACHED}"));
    cell.denies(&format!(
        "ls -l /dev/mem /dev/kmsg | grep -q . && echo {REACHED}"
    ));
}

#[test]
fn set_uid_programs_give_nothing() {
    let cell = Cell::new();
    let ended = cell.confined("cat /proc/self/status");
    let status = text(&ended.stdout);
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    let bounding = status
        .lines()
        .find(|line| line.starts_with("CapBnd"))
        .unwrap();
    let kept = u64::from_str_radix(bounding.split_whitespace().nth(1).unwrap(), 16).unwrap();
    // At most the four powers over files.
    assert_eq!(kept & !0b1_1011 & !unknown(), 0, "{status}");
}

/// In a user namespace, the bounding set is the namespace's; nothing of it is ours outside.
fn unknown() -> u64 {
    if root() { 0 } else { u64::MAX }
}
