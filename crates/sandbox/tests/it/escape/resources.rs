//! More than its share: disk, memory, processes.

use super::{Cell, REACHED, reached, skip};
use crate::text;
use sandbox::{Layer, this_machine};

#[test]
fn a_file_stops_growing_at_its_limit() {
    let cell = Cell::new();
    let script = format!("dd if=/dev/zero of=big bs=1024 count=4096 2>/dev/null && echo {REACHED}");
    cell.denies_by(&script, |policy| policy.bounds.file_size = Some(1 << 20));
    let cut = cell.confined_by(
        "rm big; dd if=/dev/zero of=big bs=1024 count=4096",
        |policy| {
            policy.bounds.file_size = Some(1 << 20);
        },
    );
    assert!(!cut.exited_with(0));
    assert_eq!(cell.inside.join("big").metadata().unwrap().len(), 1 << 20);
}

#[test]
fn the_scratch_space_is_bounded() {
    if this_machine().mount.is_err() {
        return skip("a mount namespace");
    }
    let script = format!(
        "dd if=/dev/zero of=/tmp/fill.$ENGINE bs=65536 count=256 2>/dev/null && s=0 || s=1; \
         rm -f /tmp/fill.$ENGINE; [ $s = 0 ] && echo {REACHED}"
    );
    Cell::new().denies_by(&script, |policy| policy.bounds.scratch = 4 << 20);
}

#[test]
fn memory_is_bounded() {
    let script = format!("dd if=/dev/zero of=/dev/null bs=300M count=1 && echo {REACHED}");
    Cell::new().denies_by(&script, |policy| policy.bounds.memory = Some(100 << 20));
}

#[test]
fn a_fork_bomb_fizzles() {
    if let Err(why) = &this_machine().processes {
        return skip(&format!("a limit on processes: {why}"));
    }
    let cell = Cell::new();
    // Children that stay: 600 of them are harmless, and more than the limit with its margin.
    let script = "TRY='fork 600' $HELPER";
    let ended = cell.confined_by(script, |policy| policy.bounds.processes = Some(50));
    assert!(ended.enforced.contains(&Layer::ProcessLimit));
    let said = text(&ended.stdout);
    assert!(said.contains("forked ") && !reached(&ended), "{said}");
    assert_eq!(ended.survivors, 0);
    let free = cell.free(script);
    assert!(reached(&free), "{}", text(&free.output));
}
