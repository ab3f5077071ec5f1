//! The machine by hand, and killed after every fact.

use crate::board::{Board, Phase, Stage, Wave};
use crate::fact::{Dated, Fact, Return, TaskFinished};
use crate::input::{Answer, Merging, What, Worked};
use crate::machine::{Settings, Waves};
use crate::milestone::Milestone;
use crate::want::{Act, Want, WantId};
use crate::{ledger, page};
use kernel::outcome::{CheckResult, Verdict};
use kernel::{Input, Machine, Time, Want as _};
use std::collections::BTreeSet;

const BASE: &str = "base";

fn milestone(more: &str) -> Milestone {
    let text = format!(
        "goal = 'g'\nintegration = ['true']\ntimeout = '1s'\n{more}\n[[task]]\nslug = 'a'\n[[task]]\nslug = 'b'\n[[task]]\nslug = 'c'\n[[task]]\nslug = 'd'\ndepends_on = ['a', 'b']\n"
    );
    Milestone::parse("m", &text, &[]).unwrap()
}

fn gate(verdict: Verdict) -> Vec<CheckResult> {
    vec![CheckResult::new("command: true", verdict, "as told")]
}

/// A machine and everything that was made durable.
struct Table {
    waves: Waves,
    facts: Vec<Dated>,
    clock: u64,
}

impl Table {
    fn new(milestone: &Milestone) -> Self {
        let settings = Settings {
            jobs: Some(2),
            lease: "l".to_owned(),
            judged_before: 0,
        };
        Self {
            waves: Waves::new(milestone.clone(), settings),
            facts: Vec::new(),
            clock: 0,
        }
    }

    fn replayed(milestone: &Milestone, facts: &[Dated]) -> Self {
        let mut table = Self::new(milestone);
        for dated in facts {
            table.waves.apply(dated);
            table.facts.push(dated.clone());
            table.clock = dated.at.0;
        }
        table
    }

    fn board(&self) -> &Board {
        self.waves.board()
    }

    fn wave(&self) -> &Wave {
        self.board().wave.as_ref().unwrap()
    }

    fn stage(&self, task: &str) -> &Stage {
        &self.wave().slot(task).unwrap().stage
    }

    /// What is wanted, in short.
    fn wanted(&self) -> Vec<String> {
        let wanted = self.waves.wanted().into_iter().map(|want| want.id());
        wanted
            .map(|id| {
                format!("{} {}", id.act.name(), id.task)
                    .trim_end()
                    .to_owned()
            })
            .collect()
    }

    #[track_caller]
    fn id(&self, act: Act, task: &str) -> WantId {
        let wanted = self.waves.wanted().into_iter().map(|want| want.id());
        let mut of_task = wanted.filter(|id| (id.act, id.task.as_str()) == (act, task));
        of_task
            .next()
            .unwrap_or_else(|| panic!("{act:?} {task} is not wanted"))
    }

    #[track_caller]
    fn hear(&mut self, what: What) {
        self.try_hear(what).unwrap();
    }

    fn try_hear(&mut self, what: What) -> Result<(), String> {
        self.clock += 1;
        let facts = self
            .waves
            .decide(&Input::new(Time(self.clock), what))
            .map_err(|refusal| refusal.code)?;
        for dated in facts {
            self.waves.apply(&dated);
            self.facts.push(dated);
        }
        Ok(())
    }

    #[track_caller]
    fn answer(&mut self, act: Act, task: &str, answer: Answer) {
        let id = self.id(act, task);
        self.hear(What::Answered { id, answer });
    }

    #[track_caller]
    fn open(&mut self) {
        let commit = self.board().tip.clone().unwrap_or_else(|| BASE.to_owned());
        self.try_open(commit, Vec::new()).unwrap();
    }

    fn try_open(&mut self, commit: String, results: Vec<CheckResult>) -> Result<(), String> {
        let id = self.waves.base_order().id;
        let taken = BTreeSet::new();
        let answer = Answer::Base {
            commit,
            taken,
            results,
        };
        self.try_hear(What::Answered { id, answer })
    }

    /// A worker takes a task.
    #[track_caller]
    fn claim(&mut self, task: &str) {
        let fresh = self.wave().slot(task).unwrap().echo.is_none();
        let id = self.id(if fresh { Act::Fork } else { Act::Work }, task);
        self.hear(What::Begin(id));
    }

    #[track_caller]
    fn forked(&mut self, task: &str, echo: &str) {
        self.answer(Act::Fork, task, Answer::Forked(echo.to_owned()));
    }

    #[track_caller]
    fn worked(&mut self, task: &str, end: Worked) {
        self.answer(Act::Work, task, Answer::Worked(end));
    }

    #[track_caller]
    fn finish(&mut self, task: &str) {
        let done = TaskFinished {
            task: task.to_owned(),
            commit: format!("work-{task}"),
            seq: 1,
            hash: String::new(),
        };
        self.worked(task, Worked::Finished(done));
    }

    #[track_caller]
    fn merged(&mut self, task: &str, end: Merging) {
        let id = self.id(Act::Merge, task);
        if !matches!(self.stage(task), Stage::Merging { .. }) {
            self.hear(What::Begin(id.clone()));
        }
        let answer = Answer::Merged(end);
        self.hear(What::Answered { id, answer });
    }

    /// Does one thing that is wanted, well. False if nothing is.
    fn step(&mut self) -> bool {
        let Some(want) = self.waves.wanted().into_iter().next() else {
            return false;
        };
        let task = want.id().task;
        match want {
            Want::Base(_) => self.open(),
            Want::Fork(_) | Want::Work(_) if *self.stage(&task) == Stage::Ready => {
                self.claim(&task);
            }
            Want::Fork(order) => self.forked(&task, &order.base),
            Want::Work(_) => self.finish(&task),
            Want::Merge(order) => {
                if !matches!(self.stage(&task), Stage::Merging { .. }) {
                    self.hear(What::Begin(order.id));
                    return true;
                }
                let gated = Merging::Gated {
                    echo: order.base,
                    commit: format!("merged-{task}"),
                    results: gate(Verdict::Pass),
                };
                self.merged(&task, gated);
            }
            Want::Close(_) => self.answer(Act::Close, "", Answer::PutAway),
            Want::Judge(order) => {
                let results = order.commands.iter().flat_map(|_| gate(Verdict::Pass));
                self.answer(Act::Judge, "", Answer::Judged(results.collect()));
            }
        }
        true
    }

    /// As far as it goes, in this wave or in all of them.
    fn play_out(&mut self) {
        while self.step() {}
    }

    fn play_wave(&mut self) {
        while self.board().wave.is_some() && self.step() {}
    }

    fn claimed(&mut self) {
        self.open();
        for task in ["a", "b"] {
            self.claim(task);
            self.forked(task, BASE);
        }
    }
}

#[test]
fn dependents_wait_for_the_next_wave_and_merges_keep_the_roster_s_order() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.open();
    let roster: Vec<&str> = table
        .board()
        .wave
        .as_ref()
        .unwrap()
        .slots
        .iter()
        .map(|slot| slot.row.task.as_str())
        .collect();
    assert_eq!(roster, ["a", "b", "c"]);
    table.play_out();
    assert!(table.board().complete(&milestone));
    let merges: Vec<&str> = table
        .facts
        .iter()
        .filter_map(|dated| match &dated.body {
            Fact::TaskMerged(merged) => Some(merged.task.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(merges, ["a", "b", "c", "d"]);
    assert_eq!(table.board().digests.len(), 2);
}

/// What was drafted is approved: where the fork stands is asked anew, before anybody builds on it.
#[test]
fn after_an_approval_git_is_asked_anew_where_the_fork_stands() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.claimed();
    let waits = Worked::Waits {
        reason: "freeze".to_owned(),
        why: "read it".to_owned(),
    };
    table.worked("a", waits);
    table.hear(What::Resume { task: "a".into() });
    table.claim("a");
    let asked = table
        .waves
        .wanted()
        .into_iter()
        .find_map(|want| match want {
            Want::Fork(order) => Some(order.again),
            _ => None,
        });
    assert_eq!(asked, Some(true), "{:?}", table.wanted());
    // Elsewhere nobody builds, and what was approved is not thrown away.
    table.forked("a", "elsewhere");
    let Stage::Waiting { reason, .. } = table.stage("a") else {
        panic!("{:?}", table.stage("a"))
    };
    assert_eq!(reason, "unverified_fork_base");
    assert!(table.board().failed.is_empty());
    table.hear(What::Resume { task: "a".into() });
    table.claim("a");
    table.forked("a", BASE);
    table.finish("a");
    assert!(matches!(table.stage("a"), Stage::Finished { .. }));
    // A journal of before goes on as it began.
    let mut before = Table::new(&milestone);
    before.claimed();
    before.worked(
        "a",
        Worked::Waits {
            reason: "freeze".to_owned(),
            why: String::new(),
        },
    );
    let old: Fact = serde_json::from_value(serde_json::json!({ "task": "a" }))
        .map(Fact::TaskResumed)
        .unwrap();
    before.waves.apply(&Dated {
        at: Time(9),
        body: old,
    });
    before.claim("a");
    before.finish("a");
}

#[test]
fn no_more_than_the_jobs_are_claimed() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.open();
    let claims = |table: &Table| {
        let wanted = table.waves.wanted().into_iter().map(|want| want.id().task);
        let ready = wanted.filter(|task| *table.stage(task) == Stage::Ready);
        ready.count()
    };
    assert_eq!(claims(&table), 2);
    table.claim("a");
    assert_eq!(claims(&table), 1);
    table.claim("b");
    assert_eq!(claims(&table), 0);
    assert_eq!(table.wave().phase(), Phase::Live);
}

/// A wave in which everybody waits for a person is not merging.
#[test]
fn waiting_is_told_from_merging() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.open();
    let tasks = ["a", "b", "c"].into_iter();
    let tasks: Vec<&str> = tasks
        .filter(|task| table.wave().slot(task).is_some())
        .collect();
    for task in &tasks {
        table.claim(task);
        table.forked(task, BASE);
        let asks = Worked::Waits {
            reason: "approval".to_owned(),
            why: "asked".to_owned(),
        };
        table.worked(task, asks);
    }
    assert_eq!(table.wave().phase(), Phase::Waiting);
}

/// However early the engine is killed, the rest ends the same, and no task is merged twice or
/// worked on after it had finished.
#[test]
fn killed_after_every_fact_it_ends_the_same() {
    let milestone = milestone("");
    let mut whole = Table::new(&milestone);
    whole.play_out();
    for cut in 0..whole.facts.len() {
        let mut table = Table::replayed(&milestone, &whole.facts[..cut]);
        table.hear(What::Open);
        table.play_out();
        assert_eq!(
            table.board().merged,
            whole.board().merged,
            "after {cut} facts"
        );
        for task in ["a", "b", "c", "d"] {
            let count = |pick: &dyn Fn(&Fact) -> bool| {
                table.facts.iter().filter(|dated| pick(&dated.body)).count()
            };
            let finished =
                count(&|fact| matches!(fact, Fact::TaskFinished(one) if one.task == task));
            let merged = count(&|fact| matches!(fact, Fact::TaskMerged(one) if one.task == task));
            assert_eq!((finished, merged), (1, 1), "{task} after {cut} facts");
        }
    }
}

#[test]
fn a_fork_from_elsewhere_is_refused_before_and_after_the_work() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.open();
    table.claim("a");
    table.forked("a", "stale");
    assert!(
        matches!(table.stage("a"), Stage::Failed { code, .. } if code == "unverified_fork_base"),
        "before anybody works, and it is this task's failure alone"
    );
    let mut table = Table::new(&milestone);
    table.open();
    table.claim("a");
    table.forked("a", BASE);
    for task in ["b", "c"] {
        table.claim(task);
        table.forked(task, BASE);
        table.finish(task);
    }
    table.finish("a");
    table.merged(
        "a",
        Merging::Gated {
            echo: "moved".to_owned(),
            commit: "merged-a".to_owned(),
            results: gate(Verdict::Pass),
        },
    );
    let slot = table.wave().slot("a").unwrap();
    assert!(
        matches!(&slot.stage, Stage::Finished { held: Some(why), .. } if why.contains("unverified_fork_base"))
    );
    assert!(!table.board().merged.contains_key("a"));
    // The others go on; this one is looked at again by the next engine.
    assert_eq!(table.wanted(), ["merge b"]);
    table.hear(What::Open);
    assert_eq!(table.wanted(), ["merge a"]);
}

#[test]
fn a_failed_gate_puts_its_task_back_and_counts() {
    for verdict in [Verdict::Fail, Verdict::CouldNotRun] {
        let milestone = milestone("tries = 2");
        let mut table = Table::new(&milestone);
        for times in 1..=2 {
            table.open();
            let run = table
                .board()
                .wave
                .as_ref()
                .unwrap()
                .slot("a")
                .unwrap()
                .row
                .run
                .clone();
            assert_eq!(run, if times == 1 { "m-a" } else { "m-a-2" });
            while table.wanted() != ["merge a"] {
                table.step();
            }
            let base = table.wave().base.clone();
            let tip = table.board().tip.clone();
            table.merged(
                "a",
                Merging::Gated {
                    echo: base,
                    commit: "broken".to_owned(),
                    results: gate(verdict),
                },
            );
            assert_eq!(table.board().tip, tip, "the tip stays where it was");
            table.play_wave();
        }
        let ready: Vec<&str> = table
            .board()
            .ready(&milestone)
            .iter()
            .map(|task| task.slug.as_str())
            .collect();
        assert_eq!(ready, Vec::<&str>::new(), "two tries, and `d` needs `a`");
        assert!(!table.board().complete(&milestone));
        assert!(table.board().merged.contains_key("b") && table.board().merged.contains_key("c"));
    }
}

#[test]
fn a_gate_without_a_sandbox_holds_the_merge_and_counts_nothing() {
    let milestone = milestone("tries = 1");
    let mut table = Table::new(&milestone);
    table.open();
    while table.wanted() != ["merge a"] {
        table.step();
    }
    let base = table.wave().base.clone();
    let failures = table.wave().failures;
    let mut results = gate(Verdict::CouldNotRun);
    results[0].code = Some(kernel::outcome::UNHELD.to_owned());
    table.merged(
        "a",
        Merging::Gated {
            echo: base,
            commit: "fine".to_owned(),
            results,
        },
    );
    let wave = table.wave();
    let stage = &wave.slot("a").unwrap().stage;
    assert!(
        matches!(stage, Stage::Finished { held: Some(why), .. } if why.contains("sandbox_unavailable")),
        "{stage:?}"
    );
    assert_eq!(wave.failures, failures);
    assert!(!table.board().failed.contains_key("a"), "no try is counted");
    // The work is kept, and the next engine looks at it again.
    table.hear(What::Open);
    assert_eq!(table.wanted(), ["merge a"]);
}

#[test]
fn after_enough_failures_the_rest_goes_one_by_one() {
    let milestone = milestone("sequential_after = 1");
    let mut table = Table::new(&milestone);
    table.claimed();
    table.worked(
        "a",
        Worked::Failed {
            code: "x".to_owned(),
            reason: "y".to_owned(),
        },
    );
    assert!(matches!(
        table.facts.last().unwrap().body,
        Fact::WaveFellBack(_)
    ));
    // `b` is at work, so there is no room for `c`.
    assert_eq!(table.wanted(), ["work b"]);
    table.finish("b");
    assert_eq!(table.wanted(), ["fork c"]);
}

#[test]
fn a_lease_that_ran_out_goes_back_once_and_then_fails() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.claimed();
    table.worked("a", Worked::Interrupted);
    assert!(
        matches!(&table.facts.last().unwrap().body, Fact::ClaimReturned(back) if back.why == Return::Interrupted)
    );
    for end in ["returned", "failed"] {
        table.claim("a");
        table.clock += 2_000;
        table.worked("a", Worked::Interrupted);
        let stage = table.stage("a");
        match end {
            "returned" => assert_eq!(*stage, Stage::Ready),
            _ => assert!(matches!(stage, Stage::Failed { code, .. } if code == "lease_lapsed")),
        }
    }
}

#[test]
fn a_red_base_and_a_second_wave_are_refused() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    let red = table.try_open(BASE.to_owned(), gate(Verdict::Fail));
    assert_eq!(red, Err("base_not_green".to_owned()));
    assert_eq!(
        table.try_hear(What::Close),
        Err("wave_not_found".to_owned())
    );
    table
        .try_open(BASE.to_owned(), gate(Verdict::Pass))
        .unwrap();
    assert_eq!(
        table.waves.may_open().unwrap_err().code,
        "wave_already_live"
    );
    table.claim("a");
    assert_eq!(table.try_hear(What::Close), Err("wave_busy".to_owned()));
}

#[test]
fn a_late_answer_changes_nothing() {
    let milestone = milestone("");
    let mut table = Table::new(&milestone);
    table.claimed();
    let late = table.id(Act::Work, "a");
    let answer = Answer::Worked(Worked::Failed {
        code: "x".to_owned(),
        reason: "of an earlier claim".to_owned(),
    });
    // The engine fell, and another has the task.
    table.hear(What::Open);
    table.claim("a");
    assert_ne!(table.id(Act::Work, "a"), late);
    let before = table.facts.len();
    table.hear(What::Answered { id: late, answer });
    table.hear(What::Answered {
        id: table.waves.base_order().id,
        answer: Answer::PutAway,
    });
    assert_eq!(table.facts.len(), before);
}

#[test]
fn a_goal_that_was_not_met_is_tried_once_more_by_each_engine() {
    let milestone = milestone("criteria = ['It is so (verify: true)', 'It is nice']");
    let mut table = Table::new(&milestone);
    while table.wanted() != ["judge"] {
        assert!(table.step());
    }
    table.answer(Act::Judge, "", Answer::Judged(gate(Verdict::Fail)));
    assert!(table.wanted().is_empty(), "not again and again");
    table.waves.take_up(None, "another");
    assert_eq!(table.wanted(), ["judge"]);
    table.play_out();
    assert!(table.board().proven() && !table.board().goal_met());
    let tick = |option: &str| {
        What::Decide(kernel::Decision {
            option: option.to_owned(),
            because: "looked at it".to_owned(),
            who: "ann".to_owned(),
            channel: "terminal".to_owned(),
            seen_seq: 1,
            tree: String::new(),
            with: serde_json::Value::Null,
            signature: None,
        })
    };
    let nonsense = table.try_hear(tick("no_such_option"));
    assert_eq!(nonsense, Err("unknown_option".to_owned()));
    let proven = table.try_hear(tick("tick 1"));
    assert_eq!(proven, Err("criterion_has_proof".to_owned()));
    table.hear(tick(&crate::tick_option("It is nice")));
    assert!(table.board().goal_met());
}

#[test]
fn a_ledger_of_any_moment_is_ours_and_an_edited_one_is_not() {
    let milestone = milestone("");
    let mut whole = Table::new(&milestone);
    whole.play_out();
    let mut checked = 0;
    for cut in 0..whole.facts.len() {
        let replayed = Table::replayed(&milestone, &whole.facts[..cut]);
        let Some(now) = &replayed.board().wave else {
            continue;
        };
        let text = ledger::render("m", now);
        ledger::check(&text, "m", now).unwrap();
        for (find, put) in [
            ("base: base", "base: other"),
            ("## Merge order", "## Order"),
            ("| a | m-a |", "| z | m-a |"),
            ("| auto |", "| manual |"),
            ("1. a: ", "1. b: "),
            ("status: ", "status: happily "),
            ("# Wave ", "# Wavelet "),
        ] {
            let edited = text.replacen(find, put, 1);
            if edited != text {
                let refusal = ledger::check(&edited, "m", now).expect_err(find);
                assert_eq!(refusal.code, "wave_ledger_malformed");
                checked += 1;
            }
        }
        let more = format!("{text}\nAnd a word of mine.\n");
        assert!(ledger::check(&more, "m", now).is_err());
    }
    assert!(checked > 50, "only {checked}");
}

#[test]
fn the_page_keeps_a_person_s_words_and_its_log_only_grows() {
    let milestone = milestone("criteria = ['It is so (verify: true)', 'It is nice']");
    let mut table = Table::new(&milestone);
    let first = page::render(&milestone, table.board(), None).unwrap();
    assert!(first.contains("goal_not_auto_ready") && first.contains("- [ ] It is nice"));
    let mine = format!("{first}\n## Mine\n\nwords\n");
    table.play_out();
    let later = page::render(&milestone, table.board(), Some(&mine)).unwrap();
    assert!(later.contains("## Mine\n\nwords") && later.contains("| d | a, b | merged |"));
    assert!(page::absorbed(&later, table.board()));
    let cut = later.replacen("- wave 1", "- wave one", 1);
    let refusal = page::render(&milestone, table.board(), Some(&cut)).unwrap_err();
    assert_eq!(refusal.code, "digest_not_absorbed");
    assert!(!page::absorbed(&cut, table.board()));
}

#[test]
fn every_fact_is_read_back_as_it_was_written() {
    let milestone = milestone("");
    let mut whole = Table::new(&milestone);
    whole.play_out();
    for dated in &whole.facts {
        let body = dated.body.to_value().to_string();
        assert_eq!(Fact::decode(dated.body.kind(), &body).unwrap(), dated.body);
    }
    assert!(Fact::decode("wave_opened.v2", "{}").is_err());
}

/// Members that a newer version might add to every struct of ours.
fn newer(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.values_mut().for_each(newer);
            // A variant with content is an object of one member, and so is no place for another.
            if members.len() != 1 {
                members.insert("of_a_newer_version".to_owned(), true.into());
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(newer),
        _ => {}
    }
}

/// Wants and answers are carried between processes that need not be of the same version.
#[test]
fn an_older_reader_takes_what_a_newer_writer_carries() {
    let milestone = milestone("criteria = ['It is so (verify: true)']");
    let mut table = Table::new(&milestone);
    let mut acts = BTreeSet::new();
    while let Some(want) = table.waves.wanted().into_iter().next() {
        acts.insert(want.id().act.name());
        let mut text = serde_json::to_value(&want).unwrap();
        assert_eq!(
            serde_json::from_value::<Want>(text.clone()).unwrap(),
            want,
            "{text}"
        );
        newer(&mut text);
        assert_eq!(serde_json::from_value::<Want>(text).unwrap(), want);
        table.step();
    }
    assert_eq!(acts.len(), 6, "{acts:?}");
    let id = table.waves.base_order().id;
    let gated = Merging::Gated {
        echo: BASE.to_owned(),
        commit: "c".to_owned(),
        results: gate(Verdict::Pass),
    };
    for answer in [
        Answer::Forked(BASE.to_owned()),
        Answer::Worked(Worked::Interrupted),
        Answer::Merged(gated),
        Answer::Judged(gate(Verdict::Fail)),
        Answer::PutAway,
        Answer::Interrupted,
    ] {
        let id = id.clone();
        let what = What::Answered { id, answer };
        let mut text = serde_json::to_value(&what).unwrap();
        newer(&mut text);
        assert_eq!(serde_json::from_value::<What>(text).unwrap(), what);
    }
    assert!(serde_json::from_str::<Want>(r#"{"want":"teleport"}"#).is_err());
}
