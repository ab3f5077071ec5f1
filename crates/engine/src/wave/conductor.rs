//! The loop around the pure board: what is wanted and not in flight is started, what comes back is
//! decided on, made durable and taken in. A killed conductor's next life goes on from the journal.

use super::base;
use super::board::{Board, Stage};
use super::crew::{Crew, Message};
use super::decide::{Input, Want, Worked};
use super::fact::{Dated, GoalJudged};
use super::gate;
use super::shop::{Desk, Shop};
use super::work;
use agents::Agent;
use kernel::outcome::passes;
use sandbox::Cancel;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use workspace::clock::now;
use workspace::error::EngineError;
use workspace::worktree::{self, Removal};

/// How often views are written at the most, and deadlines looked at.
const TICK: Duration = Duration::from_millis(500);

/// Sees what happens.
pub trait Watcher {
    /// A fact was made durable.
    fn fact(&mut self, dated: &Dated, board: &Board);
    /// A task's run did something.
    fn said(&mut self, task: &str, line: &str);
    /// Something that a person should know.
    fn notice(&mut self, line: &str);
}

/// Stops a conductor from elsewhere.
#[derive(Clone)]
pub struct Stop {
    sender: Sender<Message>,
    cancel: Cancel,
}

impl Stop {
    /// Asks it to stop cleanly.
    pub fn stop(&self) {
        // A gate between waves has nobody who listens for messages.
        self.cancel.cancel();
        // It may be gone already: then there is nothing to stop.
        let _ = self.sender.send(Message::Stop);
    }
}

/// What a conductor is told.
pub struct Orders<'a> {
    /// The milestone.
    pub shop: &'a Shop,
    /// Tasks at once; none: as the milestone says.
    pub jobs: Option<usize>,
    /// An agent that is already built, for all tasks.
    pub agent: Option<Arc<dyn Agent>>,
}

/// How a conductor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Nothing more can be done without a person, if anything is left.
    Rested,
    /// It was stopped.
    Stopped,
}

/// Opens a wave and starts nothing.
pub fn open(orders: &Orders<'_>, watcher: &mut dyn Watcher) -> Result<(), EngineError> {
    let mut desk = take_up(orders.shop, watcher)?;
    open_wave(orders, &mut desk, watcher, &Cancel::new())?;
    orders.shop.write_views(&desk.board)
}

/// Ends a live wave; what is not merged goes back, and its worktrees stay.
pub fn close(shop: &Shop, watcher: &mut dyn Watcher) -> Result<(), EngineError> {
    let mut desk = take_up(shop, watcher)?;
    close_wave(shop, &mut desk, watcher)
}

/// Does everything that needs no person: waves until no task is ready, then the goal.
pub fn run(
    orders: &Orders<'_>,
    watcher: &mut dyn Watcher,
    hook: &dyn Fn(Stop),
) -> Result<Rest, EngineError> {
    let shop = orders.shop;
    let mut desk = take_up(shop, watcher)?;
    let (sender, receiver) = channel();
    let stopped = Cancel::new();
    hook(Stop {
        sender: sender.clone(),
        cancel: stopped.clone(),
    });
    if desk.board.wave.is_none() {
        // An earlier life may have fallen between the end of its wave and this.
        advance(shop, &desk, watcher)?;
    }
    loop {
        if desk.board.wave.is_none() {
            if desk.board.ready(&shop.milestone).is_empty() {
                break;
            }
            let opened = open_wave(orders, &mut desk, watcher, &stopped);
            if stopped.is_cancelled() {
                return Ok(Rest::Stopped);
            }
            opened?;
        }
        let rest = conduct(orders, &mut desk, watcher, &sender, &receiver);
        // Also after an error: what is on record should be seen.
        let views = shop.write_views(&desk.board);
        if rest? == Rest::Stopped {
            return Ok(Rest::Stopped);
        }
        views?;
        if desk.board.wave.is_some() {
            return Ok(Rest::Rested);
        }
    }
    judge(shop, &mut desk, watcher, &stopped)?;
    shop.write_views(&desk.board)?;
    if stopped.is_cancelled() {
        return Ok(Rest::Stopped);
    }
    Ok(Rest::Rested)
}

/// Takes the milestone up: what an earlier life left in flight goes back, what a person has answered
/// goes on, and the branch is made what the journal says.
fn take_up(shop: &Shop, watcher: &mut dyn Watcher) -> Result<Desk, EngineError> {
    base::not_on_our_branch(shop)?;
    let mut desk = shop.open()?;
    if let Some(said) = &desk.board.waived {
        // Set by an earlier wave of this process: it is the same word.
        let _ = shop.waived.set(said.clone());
    }
    shop.check_ledger(&desk.board)?;
    worktree::clear_half_made(&shop.project, &|name| shop.owns(name))?;
    sandbox::kill_leftover(&shop.scratch().join("pid"))?;
    record(&mut desk, watcher, vec![Input::Restart])?;
    let waiting: Vec<String> = desk
        .board
        .wave
        .iter()
        .flat_map(|wave| &wave.slots)
        .filter(|slot| matches!(slot.stage, Stage::Waiting { .. }))
        .filter(|slot| !work::still_waits(shop, &slot.row))
        .map(|slot| slot.row.task.clone())
        .collect();
    let resumed = waiting.iter().map(|task| Input::Resume { task });
    record(&mut desk, watcher, resumed.collect())?;
    base::set_branch(shop, &desk.board)?;
    if desk.board.wave.is_none() && shop.has_ledger() {
        // An earlier life fell right after it had closed its wave: else the next wave would meet the
        // ledger of another one.
        shop.write_views(&desk.board)?;
    }
    Ok(desk)
}

fn record(
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    inputs: Vec<Input<'_>>,
) -> Result<(), EngineError> {
    for dated in desk.decide(inputs)? {
        watcher.fact(&dated, &desk.board);
    }
    Ok(())
}

fn open_wave(
    orders: &Orders<'_>,
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
) -> Result<(), EngineError> {
    let shop = orders.shop;
    // First whether it can be opened at all: the gate may take long.
    let roadmap = shop.project.repo().join(&shop.milestone.roadmap);
    let roadmap = std::fs::read_to_string(roadmap).ok();
    shop.milestone.on_roadmap(roadmap.as_deref())?;
    let taken = shop.taken()?;
    desk.board
        .decide(now(), open_input(orders, "", &taken, Vec::new()))?;
    let left_out = worktree::uncommitted(shop.project.repo())?;
    if !left_out.is_empty() {
        watcher.notice(&format!(
            "changes that are in no commit stay as they are, and no task sees them: {}",
            left_out.join(", ")
        ));
    }
    if orders.agent.is_none() {
        // A task that nobody can work on would only use up its tries.
        for lacks in work::staffed(shop, &desk.board)? {
            watcher.notice(&lacks);
        }
    }
    let base = base::base(shop, &desk.board, cancel)?;
    let input = open_input(orders, &base.commit, &taken, base.results);
    record(desk, watcher, vec![input])
}

fn open_input<'a>(
    orders: &'a Orders<'_>,
    base: &'a str,
    taken: &'a BTreeSet<String>,
    results: Vec<kernel::outcome::CheckResult>,
) -> Input<'a> {
    Input::Open {
        milestone: &orders.shop.milestone,
        base,
        jobs: orders.jobs.unwrap_or(orders.shop.milestone.jobs),
        taken,
        results,
    }
}

/// Drives the live wave until nothing more can be done in it without a person.
fn conduct(
    orders: &Orders<'_>,
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    sender: &Sender<Message>,
    receiver: &Receiver<Message>,
) -> Result<Rest, EngineError> {
    let shop = orders.shop;
    let lease = format!("{}-{}", std::process::id(), now().0);
    std::thread::scope(|scope| {
        let mut crew = Crew::new(scope, shop, orders.agent.clone(), sender.clone());
        crew.tidy_all(&desk.board);
        let mut stopping = false;
        let mut seen = Instant::now();
        let done = loop {
            if !stopping {
                let wanted = desk.board.wanted();
                // What is merged is tidied away first.
                if wanted == [Want::Close] && crew.idle() {
                    match close_wave(shop, desk, watcher) {
                        Ok(()) => break Ok(Rest::Rested),
                        Err(error) => break Err(error),
                    }
                }
                if let Err(error) = start(&mut crew, desk, watcher, &lease, &wanted) {
                    break Err(error);
                }
            }
            if crew.idle() {
                break Ok(if stopping {
                    Rest::Stopped
                } else {
                    Rest::Rested
                });
            }
            crew.interrupt_overdue(&desk.board, now());
            let mut heard = Vec::new();
            match receiver.recv_timeout(TICK) {
                Ok(message) => heard.push(message),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            heard.extend(receiver.try_iter());
            let mut trouble = None;
            for message in heard {
                match message {
                    Message::Stop => {
                        stopping = true;
                        crew.interrupt_all();
                    }
                    Message::Said(task, line) => watcher.said(&task, &line),
                    other => {
                        let heard = hear(shop, &mut crew, desk, watcher, other);
                        trouble = trouble.or(heard.err());
                    }
                }
            }
            if let Some(error) = trouble {
                break Err(error);
            }
            if seen.elapsed() >= TICK {
                if let Err(error) = shop.write_views(&desk.board) {
                    break Err(error);
                }
                seen = Instant::now();
            }
        };
        // Nothing that we started outlives us.
        crew.interrupt_all();
        while !crew.idle() {
            if let Ok(message) = receiver.recv() {
                let heard = hear(shop, &mut crew, desk, watcher, message);
                if let (Err(error), Ok(_)) = (heard, &done) {
                    watcher.notice(&error.to_string());
                }
            }
        }
        done
    })
}

fn start(
    crew: &mut Crew<'_, '_>,
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    lease: &str,
    wanted: &[Want],
) -> Result<(), EngineError> {
    let claims: Vec<Input<'_>> = wanted
        .iter()
        .filter_map(|want| match want {
            Want::Claim(task) => Some(Input::Claim { task, lease }),
            _ => None,
        })
        .collect();
    record(desk, watcher, claims)?;
    for want in desk.board.wanted() {
        if crew.has(&want) {
            continue;
        }
        if let Want::Merge(task) = &want {
            record(desk, watcher, vec![Input::BeginMerge { task }])?;
        }
        crew.start(&want, &desk.board, desk.head());
    }
    Ok(())
}

/// Takes one answer in.
fn hear(
    shop: &Shop,
    crew: &mut Crew<'_, '_>,
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    message: Message,
) -> Result<(), EngineError> {
    let failed = |error: EngineError| Worked::Failed {
        code: error.code,
        reason: error.what,
    };
    match message {
        Message::Forked(task, echo) => {
            crew.ended(&task);
            // The base's rule, before anybody works: refused, it is this task's failure alone.
            let end = match echo {
                Ok(echo) => match record(
                    desk,
                    watcher,
                    vec![Input::Forked {
                        task: &task,
                        echo: &echo,
                    }],
                ) {
                    Ok(()) => return Ok(()),
                    Err(error) if error.code == "unverified_fork_base" => failed(error),
                    Err(error) => return Err(error),
                },
                Err(error) => failed(error),
            };
            record(desk, watcher, vec![Input::Worked { task: &task, end }])
        }
        Message::Worked(task, end) => {
            crew.ended(&task);
            record(desk, watcher, vec![Input::Worked { task: &task, end }])
        }
        Message::Merged(task, end) => {
            crew.ended(&task);
            let before = desk.board.tip.clone();
            record(
                desk,
                watcher,
                vec![Input::MergeEnded {
                    task: &task,
                    end: end?,
                }],
            )?;
            if desk.board.tip != before {
                base::step_branch(shop, &desk.board, before.as_deref().unwrap_or_default())?;
            }
            crew.tidy(&desk.board, &task);
            Ok(())
        }
        Message::Tidied(name, removal) => {
            crew.ended(&name);
            match removal {
                Ok(Removal::Removed) => {}
                Ok(Removal::Kept(why)) => {
                    watcher.notice(&format!("the worktree {name} stays: {why}"))
                }
                Err(error) => watcher.notice(&format!("the worktree {name} stays: {error}")),
            }
            Ok(())
        }
        Message::Said(task, line) => {
            watcher.said(&task, &line);
            Ok(())
        }
        Message::Stop => Ok(()),
    }
}

fn close_wave(shop: &Shop, desk: &mut Desk, watcher: &mut dyn Watcher) -> Result<(), EngineError> {
    // Whether the digest will be taken, before anything is on record.
    let mut after = desk.board.clone();
    for fact in after.decide(now(), Input::Close)? {
        after.apply(&Dated { at: now(), fact });
    }
    let path = shop.folder().join(super::page::FILE);
    let old = std::fs::read_to_string(&path).ok();
    super::page::render(&shop.milestone, &after, old.as_deref())?;
    record(desk, watcher, vec![Input::Close])?;
    shop.write_views(&desk.board)?;
    worktree::prune(&shop.project)?;
    advance(shop, desk, watcher)
}

fn advance(shop: &Shop, desk: &Desk, watcher: &mut dyn Watcher) -> Result<(), EngineError> {
    if let Some(notice) = base::advance(shop, &desk.board)? {
        watcher.notice(&notice);
    }
    Ok(())
}

/// Tries the exit criteria on the tip, when all tasks are merged and nobody has yet.
fn judge(
    shop: &Shop,
    desk: &mut Desk,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
) -> Result<(), EngineError> {
    let milestone = &shop.milestone;
    let Some(tip) = desk
        .board
        .tip
        .clone()
        .filter(|_| desk.board.complete(milestone))
    else {
        return Ok(());
    };
    let known = desk.board.goal.as_ref().is_some_and(|goal| {
        let tried = milestone.criteria.len() - milestone.unproven().len();
        let same = goal.unproven == milestone.unproven() && goal.results.len() == tried;
        goal.commit == tip && same && (tried == 0 || passes(&goal.results))
    });
    if known {
        return Ok(());
    }
    let verify = milestone
        .criteria
        .iter()
        .filter_map(|one| one.verify.clone());
    let verify: Vec<String> = verify.collect();
    let results = if verify.is_empty() {
        Vec::new()
    } else {
        gate::run(shop, &tip, &verify, cancel)?
    };
    if cancel.is_cancelled() {
        return Ok(());
    }
    let judged = GoalJudged {
        commit: tip,
        results,
        unproven: milestone
            .unproven()
            .into_iter()
            .map(str::to_owned)
            .collect(),
    };
    record(desk, watcher, vec![Input::Judge(judged)])
}
