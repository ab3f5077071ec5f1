//! The board by hand, and killed after every fact.

use super::board::{Board, Phase, Stage};
use super::decide::{Input, Merging, Want, Worked};
use super::fact::{Dated, Fact, Return, TaskFinished};
use super::milestone::Milestone;
use super::{ledger, page};
use kernel::Time;
use kernel::outcome::{CheckResult, Verdict};
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

/// A board and everything that was made durable.
struct Table {
    board: Board,
    facts: Vec<Dated>,
    clock: u64,
}

impl Table {
    fn new() -> Self {
        Self {
            board: Board::default(),
            facts: Vec::new(),
            clock: 0,
        }
    }

    fn replayed(facts: &[Dated]) -> Self {
        let mut table = Self::new();
        for dated in facts {
            table.board.apply(dated);
            table.facts.push(dated.clone());
            table.clock = dated.at.0;
        }
        table
    }

    #[track_caller]
    fn hear(&mut self, input: Input<'_>) {
        self.try_hear(input).unwrap();
    }

    fn try_hear(&mut self, input: Input<'_>) -> Result<(), String> {
        self.clock += 1;
        let at = Time(self.clock);
        let facts = self
            .board
            .decide(at, input)
            .map_err(|refusal| refusal.code)?;
        for fact in facts {
            let dated = Dated { at, fact };
            self.board.apply(&dated);
            self.facts.push(dated);
        }
        Ok(())
    }

    #[track_caller]
    fn open(&mut self, milestone: &Milestone) {
        let base = self.board.tip.clone().unwrap_or_else(|| BASE.to_owned());
        self.hear(Input::Open {
            milestone,
            base: &base,
            jobs: 2,
            taken: &BTreeSet::new(),
            results: Vec::new(),
        });
    }

    fn finish(&mut self, task: &str) {
        self.hear(Input::Worked {
            task,
            end: Worked::Finished(TaskFinished {
                task: task.to_owned(),
                commit: format!("work-{task}"),
                seq: 1,
                hash: String::new(),
            }),
        });
    }

    /// Does one thing that is wanted, well. False if nothing is.
    fn step(&mut self) -> bool {
        let Some(want) = self.board.wanted().into_iter().next() else {
            return false;
        };
        let base = self.board.wave.as_ref().unwrap().base.clone();
        match want {
            Want::Claim(task) => self.hear(Input::Claim {
                task: &task,
                lease: "l",
            }),
            Want::Fork(task) => self.hear(Input::Forked {
                task: &task,
                echo: &base,
            }),
            Want::Drive(task) => self.finish(&task),
            Want::Merge(task) => {
                let merging = matches!(
                    self.board.wave.as_ref().unwrap().slot(&task).unwrap().stage,
                    Stage::Merging { .. }
                );
                if !merging {
                    self.hear(Input::BeginMerge { task: &task });
                    return true;
                }
                self.hear(Input::MergeEnded {
                    task: &task,
                    end: Merging::Gated {
                        echo: base,
                        commit: format!("merged-{task}"),
                        results: gate(Verdict::Pass),
                    },
                });
            }
            Want::Close => self.hear(Input::Close),
        }
        true
    }

    fn play_out(&mut self, milestone: &Milestone) {
        while self.board.wave.is_some() || !self.board.ready(milestone).is_empty() {
            if self.board.wave.is_none() {
                self.open(milestone);
            }
            while self.step() {}
        }
    }

    fn claimed(&mut self, milestone: &Milestone) {
        self.open(milestone);
        for task in ["a", "b"] {
            self.hear(Input::Claim { task, lease: "l" });
            self.hear(Input::Forked { task, echo: BASE });
        }
    }
}

#[test]
fn dependents_wait_for_the_next_wave_and_merges_keep_the_roster_s_order() {
    let milestone = milestone("");
    let mut table = Table::new();
    table.open(&milestone);
    let roster: Vec<&str> = table
        .board
        .wave
        .as_ref()
        .unwrap()
        .slots
        .iter()
        .map(|slot| slot.row.task.as_str())
        .collect();
    assert_eq!(roster, ["a", "b", "c"]);
    table.play_out(&milestone);
    assert!(table.board.complete(&milestone));
    let merges: Vec<&str> = table
        .facts
        .iter()
        .filter_map(|dated| match &dated.fact {
            Fact::TaskMerged(merged) => Some(merged.task.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(merges, ["a", "b", "c", "d"]);
    assert_eq!(table.board.digests.len(), 2);
}

#[test]
fn no_more_than_the_jobs_are_claimed() {
    let milestone = milestone("");
    let mut table = Table::new();
    table.open(&milestone);
    let claims = |table: &Table| {
        let wanted = table.board.wanted().into_iter();
        wanted.filter(|want| matches!(want, Want::Claim(_))).count()
    };
    assert_eq!(claims(&table), 2);
    table.hear(Input::Claim {
        task: "a",
        lease: "l",
    });
    assert_eq!(claims(&table), 1);
    table.hear(Input::Claim {
        task: "b",
        lease: "l",
    });
    assert_eq!(claims(&table), 0);
    assert_eq!(table.board.wave.as_ref().unwrap().phase(), Phase::Live);
}

/// However early the conductor is killed, the rest ends the same, and no task is merged twice or
/// worked on after it had finished.
#[test]
fn killed_after_every_fact_it_ends_the_same() {
    let milestone = milestone("");
    let mut whole = Table::new();
    whole.play_out(&milestone);
    for cut in 0..whole.facts.len() {
        let mut table = Table::replayed(&whole.facts[..cut]);
        table.hear(Input::Restart);
        table.play_out(&milestone);
        assert_eq!(table.board.merged, whole.board.merged, "after {cut} facts");
        for task in ["a", "b", "c", "d"] {
            let count = |pick: &dyn Fn(&Fact) -> bool| {
                table.facts.iter().filter(|dated| pick(&dated.fact)).count()
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
    let mut table = Table::new();
    table.open(&milestone);
    table.hear(Input::Claim {
        task: "a",
        lease: "l",
    });
    let early = table.try_hear(Input::Forked {
        task: "a",
        echo: "stale",
    });
    assert_eq!(early, Err("unverified_fork_base".to_owned()));
    assert_eq!(table.board.wanted()[0], Want::Fork("a".to_owned()));
    table.hear(Input::Forked {
        task: "a",
        echo: BASE,
    });
    for task in ["b", "c"] {
        table.hear(Input::Claim { task, lease: "l" });
        table.hear(Input::Forked { task, echo: BASE });
        table.finish(task);
    }
    table.finish("a");
    table.hear(Input::BeginMerge { task: "a" });
    table.hear(Input::MergeEnded {
        task: "a",
        end: Merging::Gated {
            echo: "moved".to_owned(),
            commit: "merged-a".to_owned(),
            results: gate(Verdict::Pass),
        },
    });
    let slot = table.board.wave.as_ref().unwrap().slot("a").unwrap();
    assert!(
        matches!(&slot.stage, Stage::Finished { held: Some(why), .. } if why.contains("unverified_fork_base"))
    );
    assert!(!table.board.merged.contains_key("a"));
    // The others go on; this one is looked at again by the next engine.
    assert_eq!(table.board.wanted(), [Want::Merge("b".to_owned())]);
    table.hear(Input::Restart);
    assert_eq!(table.board.wanted(), [Want::Merge("a".to_owned())]);
}

#[test]
fn a_failed_gate_puts_its_task_back_and_counts() {
    for verdict in [Verdict::Fail, Verdict::CouldNotRun] {
        let milestone = milestone("tries = 2");
        let mut table = Table::new();
        for times in 1..=2 {
            table.open(&milestone);
            let run = table
                .board
                .wave
                .as_ref()
                .unwrap()
                .slot("a")
                .unwrap()
                .row
                .run
                .clone();
            assert_eq!(run, if times == 1 { "m-a" } else { "m-a-2" });
            while table.board.wanted() != [Want::Merge("a".to_owned())] {
                table.step();
            }
            let base = table.board.wave.as_ref().unwrap().base.clone();
            let tip = table.board.tip.clone();
            table.hear(Input::BeginMerge { task: "a" });
            table.hear(Input::MergeEnded {
                task: "a",
                end: Merging::Gated {
                    echo: base,
                    commit: "broken".to_owned(),
                    results: gate(verdict),
                },
            });
            assert_eq!(table.board.tip, tip, "the tip stays where it was");
            while table.step() {}
        }
        let ready: Vec<&str> = table
            .board
            .ready(&milestone)
            .iter()
            .map(|task| task.slug.as_str())
            .collect();
        assert_eq!(ready, Vec::<&str>::new(), "two tries, and `d` needs `a`");
        assert!(!table.board.complete(&milestone));
        assert!(table.board.merged.contains_key("b") && table.board.merged.contains_key("c"));
    }
}

#[test]
fn a_gate_without_a_sandbox_holds_the_merge_and_counts_nothing() {
    let milestone = milestone("tries = 1");
    let mut table = Table::new();
    table.open(&milestone);
    while table.board.wanted() != [Want::Merge("a".to_owned())] {
        table.step();
    }
    let base = table.board.wave.as_ref().unwrap().base.clone();
    let failures = table.board.wave.as_ref().unwrap().failures;
    table.hear(Input::BeginMerge { task: "a" });
    let mut results = gate(Verdict::CouldNotRun);
    results[0].code = Some(kernel::outcome::UNHELD.to_owned());
    table.hear(Input::MergeEnded {
        task: "a",
        end: Merging::Gated {
            echo: base,
            commit: "fine".to_owned(),
            results,
        },
    });
    let wave = table.board.wave.as_ref().unwrap();
    let stage = &wave.slot("a").unwrap().stage;
    assert!(
        matches!(stage, Stage::Finished { held: Some(why), .. } if why.contains("sandbox_unavailable")),
        "{stage:?}"
    );
    assert_eq!(wave.failures, failures);
    assert!(!table.board.failed.contains_key("a"), "no try is counted");
    // The work is kept, and the next engine looks at it again.
    table.hear(Input::Restart);
    assert_eq!(table.board.wanted(), [Want::Merge("a".to_owned())]);
}

#[test]
fn after_enough_failures_the_rest_goes_one_by_one() {
    let milestone = milestone("sequential_after = 1");
    let mut table = Table::new();
    table.claimed(&milestone);
    table.hear(Input::Worked {
        task: "a",
        end: Worked::Failed {
            code: "x".to_owned(),
            reason: "y".to_owned(),
        },
    });
    assert!(matches!(
        table.facts.last().unwrap().fact,
        Fact::WaveFellBack(_)
    ));
    // `b` is at work, so there is no room for `c`.
    assert_eq!(table.board.wanted(), [Want::Drive("b".to_owned())]);
    table.finish("b");
    assert_eq!(table.board.wanted(), [Want::Claim("c".to_owned())]);
}

#[test]
fn a_lease_that_ran_out_goes_back_once_and_then_fails() {
    let milestone = milestone("");
    let mut table = Table::new();
    table.claimed(&milestone);
    table.hear(Input::Worked {
        task: "a",
        end: Worked::Interrupted,
    });
    assert!(
        matches!(&table.facts.last().unwrap().fact, Fact::ClaimReturned(back) if back.why == Return::Interrupted)
    );
    for end in ["returned", "failed"] {
        table.hear(Input::Claim {
            task: "a",
            lease: "l",
        });
        table.clock += 2_000;
        table.hear(Input::Worked {
            task: "a",
            end: Worked::Interrupted,
        });
        let stage = &table.board.wave.as_ref().unwrap().slot("a").unwrap().stage;
        match end {
            "returned" => assert_eq!(*stage, Stage::Ready),
            _ => assert!(matches!(stage, Stage::Failed { code, .. } if code == "lease_lapsed")),
        }
    }
}

#[test]
fn a_red_base_and_a_second_wave_are_refused() {
    let milestone = milestone("");
    let mut table = Table::new();
    let none = BTreeSet::new();
    let open = |results| Input::Open {
        milestone: &milestone,
        base: BASE,
        jobs: 1,
        taken: &none,
        results,
    };
    assert_eq!(
        table.try_hear(open(gate(Verdict::Fail))),
        Err("base_not_green".to_owned())
    );
    assert_eq!(
        table.try_hear(Input::Close),
        Err("wave_not_found".to_owned())
    );
    table.hear(open(gate(Verdict::Pass)));
    assert_eq!(
        table.try_hear(open(Vec::new())),
        Err("wave_already_live".to_owned())
    );
    table.hear(Input::Claim {
        task: "a",
        lease: "l",
    });
    assert_eq!(table.try_hear(Input::Close), Err("wave_busy".to_owned()));
}

#[test]
fn a_ledger_of_any_moment_is_ours_and_an_edited_one_is_not() {
    let milestone = milestone("");
    let mut whole = Table::new();
    whole.play_out(&milestone);
    let mut checked = 0;
    for cut in 0..whole.facts.len() {
        let Some(now) = Table::replayed(&whole.facts[..cut]).board.wave else {
            continue;
        };
        let text = ledger::render("m", &now);
        ledger::check(&text, "m", &now).unwrap();
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
                let refusal = ledger::check(&edited, "m", &now).expect_err(find);
                assert_eq!(refusal.code, "wave_ledger_malformed");
                checked += 1;
            }
        }
        let more = format!("{text}\nAnd a word of mine.\n");
        assert!(ledger::check(&more, "m", &now).is_err());
    }
    assert!(checked > 50, "only {checked}");
}

#[test]
fn the_page_keeps_a_person_s_words_and_its_log_only_grows() {
    let milestone = milestone("criteria = ['It is so (verify: true)', 'It is nice']");
    let mut table = Table::new();
    let first = page::render(&milestone, &table.board, None).unwrap();
    assert!(first.contains("goal_not_auto_ready") && first.contains("- [ ] It is nice"));
    let mine = format!("{first}\n## Mine\n\nwords\n");
    table.play_out(&milestone);
    let later = page::render(&milestone, &table.board, Some(&mine)).unwrap();
    assert!(later.contains("## Mine\n\nwords") && later.contains("| d | a, b | merged |"));
    assert!(page::absorbed(&later, &table.board));
    let cut = later.replacen("- wave 1", "- wave one", 1);
    let refusal = page::render(&milestone, &table.board, Some(&cut)).unwrap_err();
    assert_eq!(refusal.code, "digest_not_absorbed");
    assert!(!page::absorbed(&cut, &table.board));
}

#[test]
fn every_fact_is_read_back_as_it_was_written() {
    let milestone = milestone("");
    let mut whole = Table::new();
    whole.play_out(&milestone);
    for dated in &whole.facts {
        let body = dated.fact.to_value().to_string();
        assert_eq!(Fact::decode(dated.fact.kind(), &body).unwrap(), dated.fact);
    }
    assert!(Fact::decode("wave_opened.v2", "{}").is_err());
}
