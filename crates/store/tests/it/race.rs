//! Two writers: one wins each round, and nothing is lost or written twice.

use crate::*;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use store::Disk;

const ROUNDS: u64 = 40;
const FOLDER: &str = "STORE_RACE_FOLDER";

/// Appends until the journal is full, catching up after each lost round. Returns the rounds won.
fn contend(dir: &Path) -> u64 {
    let mut journal = Journal::open(dir, &run()).unwrap().journal;
    let mut won = 0;
    loop {
        let seq = journal.head().seq;
        if seq >= ROUNDS {
            return won;
        }
        match journal.append(seq, &entries(seq + 1..seq + 2)) {
            Ok(head) => {
                assert_eq!(head.seq, seq + 1);
                won += 1;
            }
            Err(error) => {
                assert_eq!(error.code(), "journal_conflict", "{error}");
                assert!(journal.catch_up(|_| Ok(())).unwrap().head.seq > seq);
            }
        }
    }
}

fn assert_each_round_had_one_winner(dir: &Path, won: &[u64]) {
    assert_eq!(won.iter().sum::<u64>(), ROUNDS, "{won:?}");
    assert_eq!(numbers(dir).unwrap(), (1..=ROUNDS).collect::<Vec<_>>());
}

#[test]
fn of_two_handles_at_the_same_number_one_wins() {
    let dir = dir();
    let mut one = journal(dir.path(), 1);
    let mut two = Journal::open(dir.path(), &run()).unwrap().journal;
    one.append(1, &entries(2..3)).unwrap();
    assert_eq!(
        two.append(1, &entries(9..10)).unwrap_err().code(),
        "journal_conflict"
    );
    let mut seen = Vec::new();
    let caught = two
        .catch_up(|record| {
            seen.push(number(&record.body_as()?));
            Ok(())
        })
        .unwrap();
    assert_eq!((seen, caught.head.seq, caught.torn), (vec![2], 2, None));
    two.append(2, &entries(3..4)).unwrap();
    assert_eq!(numbers(dir.path()).unwrap(), [1, 2, 3]);
}

/// A disk that looks, in the middle of an append, whether anybody else could get in.
struct Peeks(PathBuf);

impl Peeks {
    fn assert_locked(&self) {
        let other = File::open(&self.0).unwrap();
        assert!(matches!(
            other.try_lock_shared(),
            Err(TryLockError::WouldBlock)
        ));
    }
}

impl Disk for Peeks {
    fn write(&mut self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        self.assert_locked();
        file.write_all(bytes)
    }

    fn sync(&mut self, file: &File) -> io::Result<()> {
        self.assert_locked();
        file.sync_data()
    }
}

#[test]
fn an_append_is_alone_from_its_write_to_its_sync() {
    let dir = dir();
    let mut journal = journal(dir.path(), 1).with_disk(Box::new(Peeks(file(dir.path()))));
    journal.append(1, &entries(2..3)).unwrap();
    journal.catch_up(|_| Ok(())).unwrap();
    File::open(file(dir.path())).unwrap().try_lock().unwrap();
}

#[test]
fn threads_with_their_own_handles() {
    let dir = dir();
    Journal::create(dir.path(), &run()).unwrap();
    let won: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| contend(dir.path())))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_each_round_had_one_winner(dir.path(), &won);
}

/// Not a test by itself: the other processes of the next one.
#[test]
fn contender() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        println!("won={}", contend(Path::new(&folder)));
    }
}

#[test]
fn processes() {
    let dir = dir();
    Journal::create(dir.path(), &run()).unwrap();
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "race::contender", "--nocapture"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children = [start(), start()];
    let won = children.map(|child| {
        let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let (_, rest) = output.split_once("won=").expect(&output);
        rest.lines().next().unwrap().parse().unwrap()
    });
    assert_each_round_had_one_winner(dir.path(), &won);
}
