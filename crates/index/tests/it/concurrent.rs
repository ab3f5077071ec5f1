//! Several handles and threads on one file: every answer is of one moment, and nothing is lost.

use crate::support::{Folder, NOW, entry, reference};
use index::embed::BuiltIn;
use index::{Ranking, Replacement, SearchRequest};

#[test]
fn two_handles_see_each_others_writes() {
    let folder = Folder::new();
    let mut one = folder.open();
    let mut two = folder.open();
    one.add(&[entry("MM-1", "parse dates")], &BuiltIn, NOW)
        .unwrap();
    let request = SearchRequest::new("parse dates");
    assert_eq!(
        two.search(&request, Ranking::Fused, &BuiltIn)
            .unwrap()
            .len(),
        1
    );
    two.add(&[entry("MM-2", "parse dates too")], &BuiltIn, NOW)
        .unwrap();
    assert_eq!(
        one.search(&request, Ranking::Fused, &BuiltIn)
            .unwrap()
            .len(),
        2
    );
    one.deprecate(&reference("MM-1@1.0.0"), &Replacement::None, "old", NOW)
        .unwrap();
    let hits = two.search(&request, Ranking::Fused, &BuiltIn).unwrap();
    assert_eq!(hits.len(), 1);
    let twice = two.add(&[entry("MM-1", "parse dates")], &BuiltIn, NOW);
    assert_eq!(twice.unwrap_err().code(), "index_entry_exists");
}

#[test]
fn writers_and_readers_at_once_lose_nothing() {
    const WRITERS: usize = 3;
    const BATCHES: usize = 12;
    const BATCH: usize = 40;
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let folder = &folder;
            scope.spawn(move || {
                let mut index = folder.open();
                for batch in 0..BATCHES {
                    let entries: Vec<_> = (0..BATCH)
                        .map(|at| entry(&format!("MM-{writer}-{batch}-{at}"), "parse dates"))
                        .collect();
                    index.add(&entries, &BuiltIn, NOW).unwrap();
                }
            });
        }
        for _ in 0..2 {
            let folder = &folder;
            scope.spawn(move || {
                let mut index = folder.open();
                let mut before = 0;
                for _ in 0..30 {
                    let request = SearchRequest {
                        top_k: 1000,
                        ..SearchRequest::new("parse dates")
                    };
                    let found = index
                        .search(&request, Ranking::Fused, &BuiltIn)
                        .unwrap()
                        .len();
                    // Batches are seen whole, and never fewer than before.
                    assert!(found == 1000 || found.is_multiple_of(BATCH), "{found}");
                    assert!(found >= before);
                    before = found;
                }
            });
        }
    });
    let index = folder.open();
    let stats = index.stats().unwrap();
    assert_eq!(stats.entries, (WRITERS * BATCHES * BATCH) as u64);
    assert_eq!(stats.modules, stats.entries);
}

#[test]
fn of_two_writers_of_one_key_only_one_wins() {
    let folder = Folder::new();
    folder.open();
    let won: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut index = folder.open();
                    index.add(&[entry("MM-1", "one")], &BuiltIn, NOW).is_ok()
                })
            })
            .collect();
        let won = threads
            .into_iter()
            .map(|thread| usize::from(thread.join().unwrap()));
        won.sum()
    });
    assert_eq!(won, 1);
}

#[test]
fn many_may_create_one_index_at_once() {
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| folder.open().stats().unwrap());
        }
    });
}
