//! Following a journal: whatever happens to the file, and whenever one looks, what was told and not
//! taken back is what the journal holds, each record once and in order.

use crate::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use store::{Follow, Notice, RecordRef, Since, Tail, Tails};

/// Believes what it is told and takes back what it is told to.
#[derive(Default)]
struct Listener {
    told: BTreeMap<String, Vec<(u64, u64)>>,
    notices: Vec<Notice>,
    /// A number that it does not understand.
    refuses: Option<u64>,
}

impl Follow for Listener {
    fn record(&mut self, run: &RunName, record: RecordRef<'_>) -> Result<(), store::Objection> {
        let number = number(&record.body_as()?);
        if self.refuses == Some(number) {
            return Err("not understood".into());
        }
        let told = self.told.entry(run.to_string()).or_default();
        told.push((record.seq, number));
        Ok(())
    }

    fn notice(&mut self, run: &RunName, notice: Notice) {
        if matches!(notice, Notice::Rewound { .. } | Notice::Gone) {
            self.told.remove(run.as_str());
        }
        self.notices.push(notice);
    }
}

impl Listener {
    fn numbers(&self) -> Vec<u64> {
        let told = self.told.get(run().as_str()).into_iter().flatten();
        told.map(|(_, number)| *number).collect()
    }

    fn heard(&mut self, tail: &mut Tail) -> Vec<Notice> {
        tail.poll(self);
        let first = std::mem::take(&mut self.notices);
        tail.poll(self);
        assert_eq!(self.notices, [], "nothing is told twice");
        first
    }
}

/// All records of the file up to the first that is not whole or not believed.
fn believed(dir: &Path) -> Vec<u64> {
    let mut found = Vec::new();
    // An error is what ends them.
    let _ = Journal::read(dir, &run(), Replay::default(), |record| {
        found.push(number(&record.body_as()?));
        Ok(())
    });
    found
}

#[test]
fn each_record_is_told_once_whenever_one_looks() {
    let dir = dir();
    let (mut tail, mut listener) = (
        Tail::new(dir.path(), &run(), Since::Start),
        Listener::default(),
    );
    assert_eq!(listener.heard(&mut tail), [Notice::Gone]);
    let mut journal = journal(dir.path(), 2);
    assert_eq!(listener.heard(&mut tail), []);
    assert_eq!(listener.numbers(), [1, 2]);
    journal.append(2, &entries(3..6)).unwrap();
    assert_eq!(listener.heard(&mut tail), []);
    assert_eq!(listener.numbers(), [1, 2, 3, 4, 5]);
    assert_eq!(tail.head(), Some(journal.head()));
    fs::remove_file(file(dir.path())).unwrap();
    assert_eq!(listener.heard(&mut tail), [Notice::Gone]);
    assert!(listener.numbers().is_empty());
}

#[test]
fn half_a_line_is_waited_for() {
    let dir = dir();
    journal(dir.path(), 3);
    let whole = fs::read(file(dir.path())).unwrap();
    let two = Tail::new(dir.path(), &run(), Since::Start);
    let (mut tail, mut listener) = (two, Listener::default());
    fs::write(file(dir.path()), &whole[..whole.len() - 5]).unwrap();
    let heard = listener.heard(&mut tail);
    assert!(matches!(heard[..], [Notice::Torn(_)]), "{heard:?}");
    assert_eq!(listener.numbers(), [1, 2]);
    // A writer cuts it and writes another one in its place.
    let mut opened = Journal::open(dir.path(), &run()).unwrap();
    assert_eq!(listener.heard(&mut tail), [Notice::Mended]);
    opened.journal.append(2, &entries(7..8)).unwrap();
    assert_eq!(listener.heard(&mut tail), []);
    assert_eq!(listener.numbers(), [1, 2, 7]);
}

#[test]
fn what_is_not_believed_is_quarantined_until_it_is_mended() {
    let dir = dir();
    journal(dir.path(), 3);
    let sound = fs::read(file(dir.path())).unwrap();
    forge(dir.path(), "\"n\":3", "\"n\":4");
    let (mut tail, mut listener) = (
        Tail::new(dir.path(), &run(), Since::Start),
        Listener::default(),
    );
    let heard = listener.heard(&mut tail);
    assert!(
        matches!(heard[..], [Notice::Quarantined { line: 3, .. }]),
        "{heard:?}"
    );
    assert_eq!(listener.numbers(), [1, 2]);
    fs::write(file(dir.path()), &sound).unwrap();
    assert_eq!(listener.heard(&mut tail), [Notice::Mended]);
    assert_eq!(listener.numbers(), [1, 2, 3]);
}

#[test]
fn a_follower_that_does_not_understand_a_record_stops_before_it() {
    let dir = dir();
    let mut journal = journal(dir.path(), 2);
    let mut tail = Tail::new(dir.path(), &run(), Since::Start);
    let mut listener = Listener {
        refuses: Some(2),
        ..Listener::default()
    };
    let heard = listener.heard(&mut tail);
    assert!(
        matches!(&heard[..], [Notice::Quarantined { line: 2, reason }] if reason == "not understood")
    );
    listener.refuses = None;
    journal.append(2, &entries(3..4)).unwrap();
    assert_eq!(listener.heard(&mut tail), [Notice::Mended]);
    assert_eq!(listener.numbers(), [1, 2, 3]);
}

#[test]
fn going_on_behind_a_record_that_is_another_one_now_begins_anew() {
    let dir = dir();
    let old = journal(dir.path(), 3).head().clone();
    fs::remove_file(file(dir.path())).unwrap();
    let mut other = Journal::create(dir.path(), &run()).unwrap();
    other.append(0, &entries(11..16)).unwrap();
    for (since, notices, numbers) in [
        (
            Since::Head(old),
            vec![Notice::Rewound { had: 3 }],
            vec![11, 12, 13, 14, 15],
        ),
        (Since::Seq(3), vec![], vec![14, 15]),
        (Since::Seq(5), vec![], vec![]),
        (
            Since::Seq(9),
            vec![Notice::Rewound { had: 9 }],
            vec![11, 12, 13, 14, 15],
        ),
        (Since::Head(other.head().clone()), vec![], vec![]),
    ] {
        let (mut tail, mut listener) = (Tail::new(dir.path(), &run(), since), Listener::default());
        assert_eq!(listener.heard(&mut tail), notices);
        assert_eq!(listener.numbers(), numbers);
    }
}

#[test]
fn one_broken_run_of_many_hides_no_other() {
    let dir = dir();
    let name = |n: u64| RunName::new(&format!("run-{n}")).unwrap();
    let mut journals: Vec<Journal> = Vec::new();
    for n in 0..20 {
        let mut journal = Journal::create(dir.path(), &name(n)).unwrap();
        journal.append(0, &entries(1..n + 1)).unwrap();
        journals.push(journal);
    }
    let broken = dir.path().join("run-9.jsonl");
    let text = fs::read_to_string(&broken).unwrap();
    fs::write(&broken, text.replacen("\"n\":5", "\"n\":6", 1)).unwrap();
    let missing = BTreeMap::from([(RunName::new("absent").unwrap(), Since::Seq(4))]);
    let (mut tails, mut listener) = (Tails::new(dir.path(), missing), Listener::default());
    tails.poll(&mut listener).unwrap();
    assert_eq!(listener.notices.len(), 2, "{:?}", listener.notices);
    for (n, journal) in journals.iter_mut().enumerate() {
        let n = n as u64;
        if n != 9 {
            journal.append(n, &entries(n + 1..n + 3)).unwrap();
        }
    }
    tails.poll(&mut listener).unwrap();
    for n in 0..20 {
        let expected = if n == 9 { 4 } else { n + 2 };
        let told = &listener.told[name(n).as_str()];
        assert_eq!(told, &(1..=expected).map(|n| (n, n)).collect::<Vec<_>>());
    }
    assert_eq!(listener.notices.len(), 2);
    // Another life goes on where this one stood.
    let since = tails
        .heads()
        .into_iter()
        .map(|(run, head)| (run, Since::Head(head)));
    let (mut tails, mut listener) = (Tails::new(dir.path(), since.collect()), Listener::default());
    tails.poll(&mut listener).unwrap();
    assert!(listener.told.is_empty(), "{:?}", listener.told);
}

/// What may happen between two looks.
#[derive(Debug, Clone)]
enum Deed {
    Append(u64),
    Tear,
    Cut(f64),
    Flip(f64, u8),
    Replace(u64),
    Remove,
    Resume,
    Look,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (1..4u64).prop_map(Deed::Append),
        1 => Just(Deed::Tear),
        1 => (0.0..1.0f64).prop_map(Deed::Cut),
        1 => (0.0..1.0f64, 1..=255u8).prop_map(|(at, flip)| Deed::Flip(at, flip)),
        1 => (1..6u64).prop_map(Deed::Replace),
        1 => Just(Deed::Remove),
        2 => Just(Deed::Resume),
        4 => Just(Deed::Look),
    ]
}

/// Does it to the file; what cannot be done to it as it is, is not.
fn perform(deed: &Deed, dir: &Path, next: &mut u64) {
    let bytes = fs::read(file(dir)).unwrap_or_default();
    match deed {
        Deed::Append(count) => {
            let opened = match file(dir).exists() {
                true => Journal::open(dir, &run()).map(|opened| opened.journal),
                false => Journal::create(dir, &run()),
            };
            if let Ok(mut journal) = opened {
                let seq = journal.head().seq;
                journal.append(seq, &entries(*next..*next + count)).unwrap();
                *next += count;
            }
        }
        Deed::Tear if !bytes.is_empty() => {
            fs::write(file(dir), [&bytes[..], b"{\"at\""].concat()).unwrap();
        }
        Deed::Cut(keep) if !bytes.is_empty() => {
            fs::write(file(dir), &bytes[..(bytes.len() as f64 * keep) as usize]).unwrap();
        }
        Deed::Flip(at, flip) if !bytes.is_empty() => {
            let mut bytes = bytes;
            let at = (bytes.len() as f64 * at) as usize;
            bytes[at] ^= flip;
            fs::write(file(dir), bytes).unwrap();
        }
        Deed::Replace(count) => {
            let _ = fs::remove_file(file(dir));
            let mut journal = Journal::create(dir, &run()).unwrap();
            journal.append(0, &entries(*next..*next + count)).unwrap();
            *next += count;
        }
        Deed::Remove => {
            let _ = fs::remove_file(file(dir));
        }
        Deed::Tear | Deed::Cut(_) | Deed::Flip(..) | Deed::Resume | Deed::Look => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Deeds that leave what is believed a prefix of what was written: nothing before is changed in
    /// place, so that what was told can be held against the file itself.
    #[test]
    fn what_was_told_is_what_the_file_holds(deeds in prop::collection::vec(deed(), 1..40)) {
        let dir = dir();
        let mut next = 1;
        let mut tail = Tail::new(dir.path(), &run(), Since::Start);
        let mut listener = Listener::default();
        for deed in deeds.iter().filter(|deed| !matches!(deed, Deed::Flip(..))) {
            perform(deed, dir.path(), &mut next);
            if matches!(deed, Deed::Resume) {
                // A new life, which has only what the last one had noted.
                tail.poll(&mut listener);
                let since = tail.head().cloned().map_or(Since::Start, Since::Head);
                tail = Tail::new(dir.path(), &run(), since);
            }
            if matches!(deed, Deed::Resume | Deed::Look) {
                tail.poll(&mut listener);
                prop_assert_eq!(listener.numbers(), believed(dir.path()));
            }
        }
    }

    /// With damage as well: in place it may be noticed late, but numbers are never lost, doubled or
    /// out of order among those that stand.
    #[test]
    fn damage_neither_doubles_nor_skips(deeds in prop::collection::vec(deed(), 1..40)) {
        let dir = dir();
        let mut next = 1;
        let mut tail = Tail::new(dir.path(), &run(), Since::Start);
        let mut listener = Listener::default();
        for deed in &deeds {
            perform(deed, dir.path(), &mut next);
            tail.poll(&mut listener);
            let told = listener.told.get(run().as_str()).cloned().unwrap_or_default();
            let seqs: Vec<u64> = told.iter().map(|(seq, _)| *seq).collect();
            prop_assert_eq!(&seqs, &(1..=told.len() as u64).collect::<Vec<_>>());
            let believed = believed(dir.path());
            prop_assert!(told.len() >= believed.len(), "{:?} {:?}", told, believed);
        }
    }

    /// From any record on, the rest and nothing else.
    #[test]
    fn resumption_from_any_number_tells_the_rest(count in 1..12u64, from in 0..12u64, more in 0..4u64) {
        let dir = dir();
        let mut journal = journal(dir.path(), count);
        let from = from.min(count);
        let mut tail = Tail::new(dir.path(), &run(), Since::Seq(from));
        let mut listener = Listener::default();
        tail.poll(&mut listener);
        if more > 0 {
            journal.append(count, &entries(count + 1..count + more + 1)).unwrap();
        }
        tail.poll(&mut listener);
        prop_assert_eq!(listener.numbers(), (from + 1..=count + more).collect::<Vec<_>>());
        prop_assert!(listener.notices.is_empty());
    }
}
