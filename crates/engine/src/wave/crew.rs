//! Who is at work: one thread for each effect of a wave, and the means to interrupt them. It decides
//! nothing; every answer goes to the conductor as a message.

use super::board::{Board, Stage};
use super::decide::{Merging, Want, Worked};
use super::merge::{self, Order};
use super::shop::Shop;
use super::work::{self, Job};
use crate::world::Interrupter;
use agents::Agent;
use kernel::Time;
use sandbox::Cancel;
use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use store::Head;
use workspace::error::EngineError;
use workspace::worktree::{self, Removal};

/// What the conductor hears.
pub(super) enum Message {
    Forked(String, Result<String, EngineError>),
    Worked(String, Worked),
    Merged(String, Result<Merging, EngineError>),
    Tidied(String, Result<Removal, EngineError>),
    Said(String, String),
    Stop,
}

/// How far an interruption has gone.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Asked {
    #[default]
    No,
    Once,
}

/// One effect in flight.
#[derive(Default, Clone)]
struct Hand {
    want: Option<Want>,
    cancel: Cancel,
    session: Arc<Mutex<Session>>,
}

#[derive(Default)]
struct Session {
    interrupter: Option<Interrupter>,
    asked: Asked,
}

impl Hand {
    fn interrupt(&self) {
        self.cancel.cancel();
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if session.asked == Asked::No {
            session.asked = Asked::Once;
            if let Some(interrupter) = &session.interrupter {
                interrupter.interrupt();
            }
        }
    }

    /// Takes the means to interrupt a session, and uses it at once if somebody has asked already.
    fn take(&self, interrupter: Interrupter) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if session.asked == Asked::Once {
            interrupter.interrupt();
        }
        session.interrupter = Some(interrupter);
    }
}

pub(super) struct Crew<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shop: &'env Shop,
    agent: Option<Arc<dyn Agent>>,
    sender: Sender<Message>,
    hands: BTreeMap<String, Hand>,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        shop: &'env Shop,
        agent: Option<Arc<dyn Agent>>,
        sender: Sender<Message>,
    ) -> Self {
        Self {
            scope,
            shop,
            agent,
            sender,
            hands: BTreeMap::new(),
        }
    }

    pub(super) fn idle(&self) -> bool {
        self.hands.is_empty()
    }

    pub(super) fn ended(&mut self, name: &str) {
        self.hands.remove(name);
    }

    /// Is it in flight already?
    pub(super) fn has(&self, want: &Want) -> bool {
        match want {
            Want::Fork(task) | Want::Drive(task) | Want::Merge(task) => {
                self.hands.contains_key(task)
            }
            Want::Claim(_) | Want::Close => true,
        }
    }

    /// Starts an effect on a thread of its own.
    pub(super) fn start(&mut self, want: &Want, board: &Board, head: &Head) {
        let (Want::Fork(task) | Want::Drive(task) | Want::Merge(task)) = want else {
            return;
        };
        let Some(wave) = &board.wave else { return };
        let Some(slot) = wave.slot(task) else { return };
        let hand = Hand {
            want: Some(want.clone()),
            ..Hand::default()
        };
        self.hands.insert(task.clone(), hand.clone());
        let (shop, sender, task) = (self.shop, self.sender.clone(), task.clone());
        match want {
            Want::Fork(_) => {
                let (row, base) = (slot.row.clone(), wave.base.clone());
                self.scope.spawn(move || {
                    let echo = guarded(|| work::fork(shop, &row, &base));
                    let _ = sender.send(Message::Forked(task, echo));
                });
            }
            Want::Drive(_) => {
                let Some(definition) = shop.milestone.task(&task).cloned() else {
                    let gone = Worked::Failed {
                        code: "task_not_there".to_owned(),
                        reason: "it is not in milestone.toml any more".to_owned(),
                    };
                    let _ = sender.send(Message::Worked(task, gone));
                    return;
                };
                let note = board.failed.get(&task).map(|failed| {
                    format!(
                        "# Put back\n\nAn earlier try of this task was not merged ({}): {}\n",
                        failed.code, failed.reason
                    )
                });
                let job = Job {
                    row: slot.row.clone(),
                    task: definition,
                    note,
                    agent: self.agent.clone(),
                };
                self.scope.spawn(move || {
                    let say = |line: &str| {
                        let _ = sender.send(Message::Said(task.clone(), line.to_owned()));
                    };
                    let worked =
                        guarded(|| Ok(work::drive(shop, &job, &say, &|one| hand.take(one))));
                    let worked = worked.unwrap_or_else(|error| Worked::Failed {
                        code: error.code,
                        reason: error.what,
                    });
                    let _ = sender.send(Message::Worked(task.clone(), worked));
                });
            }
            Want::Merge(_) => {
                let (Stage::Merging { commit }, Some(tip)) = (&slot.stage, &board.tip) else {
                    return;
                };
                let order = Order::of(wave, slot, commit, tip, head);
                self.scope.spawn(move || {
                    let merged = guarded(|| merge::merge(shop, &order, &hand.cancel));
                    let _ = sender.send(Message::Merged(task, merged));
                });
            }
            Want::Claim(_) | Want::Close => {}
        }
    }

    /// Removes what an earlier life has merged and not tidied away.
    pub(super) fn tidy_all(&mut self, board: &Board) {
        for slot in board.wave.iter().flat_map(|wave| &wave.slots) {
            if self.shop.project.worktree(&slot.row.run).exists() {
                self.tidy(board, &slot.row.task);
            }
        }
    }

    /// Removes the worktree of a merged task.
    pub(super) fn tidy(&mut self, board: &Board, task: &str) {
        let slot = board.wave.as_ref().and_then(|wave| wave.slot(task));
        let Some((slot, Stage::Merged { commit })) = slot.map(|slot| (slot, &slot.stage)) else {
            return;
        };
        let (shop, sender) = (self.shop, self.sender.clone());
        let (name, commit) = (slot.row.run.clone(), format!("{commit}^2"));
        self.hands.insert(name.clone(), Hand::default());
        self.scope.spawn(move || {
            let dir = shop.project.worktree(&name);
            let removed = guarded(|| worktree::remove(shop.project.repo(), &dir, &commit));
            let _ = sender.send(Message::Tidied(name, removed));
        });
    }

    /// Interrupts the workers whose time is over.
    pub(super) fn interrupt_overdue(&self, board: &Board, now: Time) {
        for slot in board.wave.iter().flat_map(|wave| &wave.slots) {
            if let (Stage::Claimed { until, .. }, Some(hand)) =
                (&slot.stage, self.hands.get(&slot.row.task))
                && now >= *until
                && matches!(hand.want, Some(Want::Drive(_)))
            {
                hand.interrupt();
            }
        }
    }

    pub(super) fn interrupt_all(&self) {
        for hand in self.hands.values() {
            hand.interrupt();
        }
    }
}

/// A panic of ours in one effect must not take the wave with it.
fn guarded<T>(act: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
    caught.unwrap_or_else(|_| {
        Err(EngineError::bug(
            "worker_panicked",
            "the engine panicked in a worker",
            "please report it, with the milestone's journal",
        ))
    })
}
