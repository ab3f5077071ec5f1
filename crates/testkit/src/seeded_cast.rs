//! Agents, checks, git and people drawn from a seed: some seeds mean well, some do not.

use crate::cast::Cast;
use crate::random::Random;
use kernel::decision::REWIND;
use kernel::effect::{AttemptOrder, CheckSpec, CheckpointOrder, GateOrder, Weight};
use kernel::machine::Waiting;
use kernel::position::STOP;
use kernel::table::Kind;
use kernel::{CheckResult, Class, Outcome, StateName, Table, Usage, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// What agents may say: the states that they may ask for, the ones that they may not, and fields.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// What may be asked for in each state, the way on first.
    pub legal: BTreeMap<StateName, Vec<StateName>>,
    /// Every name, legal or not.
    pub all: Vec<StateName>,
    /// Names of document fields.
    pub fields: Vec<String>,
    /// The check that says whether a pass made progress, if there is one.
    pub progress: String,
    /// States in which a person is asked.
    pub waits: BTreeSet<StateName>,
}

impl Vocabulary {
    /// The names of a table, and one that it does not hold.
    pub fn of(table: &Table) -> Self {
        let states = table.states.keys();
        let legal = states.clone().map(|state| {
            let mut allowed = table.allowed_requests(state);
            // Whoever means well goes on, and asks a person last.
            allowed.sort_by_key(|to| table.state(to).kind == Kind::Wait);
            (state.clone(), allowed)
        });
        let mut all: Vec<StateName> = states.clone().cloned().collect();
        let legal = legal.collect();
        all.push(StateName::from("no_such_state"));
        Self {
            legal,
            all,
            fields: Vec::new(),
            progress: String::new(),
            waits: states
                .filter(|state| table.state(state).kind == Kind::Wait)
                .cloned()
                .collect(),
        }
    }
}

/// Everybody, drawn from a seed.
#[derive(Debug)]
pub struct SeededCast {
    random: Random,
    vocabulary: Vocabulary,
    goodwill: u64,
    quality: u64,
    progress: u64,
    extensions: u32,
    patience: u32,
    chosen: BTreeMap<String, Verdict>,
    /// For those who lead a run back: of its own, so that everybody else draws what they drew before.
    rewinds: Random,
    commits: Vec<String>,
    /// Was the last word to go back? Nobody insists.
    went_back: bool,
}

impl SeededCast {
    /// The cast of this seed.
    pub fn new(seed: u64, vocabulary: Vocabulary) -> Self {
        let mut random = Random::stream(seed, "cast");
        let mut level = |of: &[u64]| random.pick(of).copied().unwrap_or(500);
        Self {
            goodwill: level(&[980, 900, 700, 400]),
            quality: level(&[980, 850, 650, 300]),
            progress: level(&[990, 900, 600]),
            extensions: 3,
            patience: 40,
            chosen: BTreeMap::new(),
            rewinds: Random::stream(seed, "rewinds"),
            commits: Vec::new(),
            went_back: false,
            random,
            vocabulary,
        }
    }

    fn request(&mut self, state: &StateName) -> Option<StateName> {
        let legal = self.vocabulary.legal.get(state);
        let legal = legal.map_or(&[][..], |legal| legal.as_slice());
        // Few get as far as to an exam that they did not pass.
        let contested = legal.iter().find(|to| to.as_str() == "contested");
        if contested.is_some() && self.random.happens(300) {
            return contested.cloned();
        }
        if self.random.happens(self.goodwill) {
            // Who means well has other ways to go as well.
            if self.random.happens(250) {
                return self.random.pick(legal).cloned();
            }
            // Who has nothing to ask for but a person has done their work, and asks for nothing.
            let first = legal.first().cloned();
            return first.filter(|to| !self.vocabulary.waits.contains(to));
        }
        match self.random.below(5) {
            0 => None,
            1 | 2 => self.random.pick(legal).cloned(),
            _ => self.random.pick(&self.vocabulary.all).cloned(),
        }
    }

    /// What a person chose when the run began, by the word that shows it.
    fn chosen(&mut self, spec: &CheckSpec) -> Verdict {
        let word = spec.shows.as_ref().map(ToString::to_string);
        let word = word.unwrap_or_default();
        if let Some(known) = self.chosen.get(&word) {
            return *known;
        }
        let verdict = match self.random.happens(500) {
            true => Verdict::Pass,
            false => Verdict::Fail,
        };
        self.chosen.insert(word, verdict);
        verdict
    }

    fn verdict(&mut self, pass: u64) -> Verdict {
        if self.random.happens(pass) {
            return Verdict::Pass;
        }
        let verdicts = [Verdict::Fail, Verdict::Fail, Verdict::CouldNotRun];
        *self.random.pick(&verdicts).unwrap_or(&Verdict::Fail)
    }
}

impl Cast for SeededCast {
    fn attempt(&mut self, order: &AttemptOrder) -> Outcome {
        let class = if self.random.happens(self.goodwill) {
            Class::Done
        } else {
            *self
                .random
                .pick(&Class::TROUBLES)
                .unwrap_or(&Class::Crashed)
        };
        let mut outcome = Outcome::bare(class, format!("drawn for {} {}", order.id, order.state));
        // A request of a failed attempt must mean nothing, so failed ones ask as well.
        outcome.request = self.request(&order.state);
        outcome.usage = Usage {
            input_tokens: self.random.below(50_000),
            output_tokens: self.random.below(10_000),
            cached_tokens: 0,
            micro_dollars: self.random.below(400_000),
        };
        if let Some(field) = self.random.pick(&self.vocabulary.fields) {
            let value = format!("by {}", order.id);
            outcome.fields.insert(field.clone(), value);
        }
        outcome
    }

    fn gate(&mut self, order: &GateOrder) -> Vec<CheckResult> {
        // One draw for the whole gate: a gate of many checks would never pass otherwise.
        let overall = self.verdict(self.quality);
        let worst = self.random.below(order.checks.len() as u64);
        let checks = order.checks.iter().zip(0u64..);
        let results = checks.map(|(spec, index)| {
            let verdict = match &spec.check {
                check if *check == self.vocabulary.progress => self.verdict(self.progress),
                // Hardly a machine lacks what judges, and nobody works before a person has answered for it.
                check if check == "suite" => self.verdict(950),
                // It holds no gate, so it has a draw of its own. What a field says stays as it is.
                _ if spec.weight == Weight::Advisory => match spec.check == "fields" {
                    true => self.chosen(spec),
                    false => self.verdict(self.quality.max(850)),
                },
                // Only good work gets this far, and much hangs on what comes of it.
                check if check == "exam" => self.verdict(600),
                _ if index == worst => overall,
                _ => Verdict::Pass,
            };
            let reason = format!("drawn for {}", order.id);
            let mut result = CheckResult::new(&spec.check, verdict, reason);
            // As a real gate does.
            result.weight = spec.weight;
            let shown = spec.shows.clone().filter(|_| verdict != Verdict::Pass);
            result.shows.extend(shown);
            if spec.check == "freeze"
                && let Some(name) = spec.with["name"].as_str()
            {
                // The one file that people open again.
                let items = BTreeMap::from([("repo/t".to_owned(), String::new())]);
                result.froze.insert(name.to_owned(), items);
            }
            result
        });
        results.collect()
    }

    fn checkpoint(&mut self, order: &CheckpointOrder) -> Result<String, String> {
        if self.random.happens(self.goodwill) {
            let commit = format!("commit-{}", order.id);
            self.commits.push(commit.clone());
            Ok(commit)
        } else {
            Err("the index is locked".to_owned())
        }
    }

    fn person(&mut self, waiting: &Waiting) -> String {
        let back = !self.commits.is_empty() && self.rewinds.happens(100);
        self.went_back = back && !self.went_back;
        if self.went_back {
            return REWIND.to_owned();
        }
        self.patience = self.patience.saturating_sub(1);
        let options = waiting.options.iter();
        let going_on: Vec<&String> = options.filter(|option| *option != STOP).collect();
        let chosen = self.random.pick(&going_on).map(|option| (*option).clone());
        match chosen {
            _ if self.patience == 0 || self.random.happens(30) => STOP.to_owned(),
            None => STOP.to_owned(),
            Some(option) if option == "extend" => {
                if self.extensions == 0 {
                    return STOP.to_owned();
                }
                self.extensions -= 1;
                option
            }
            Some(option) => option,
        }
    }

    fn payload(&mut self, _: &Waiting, option: &str) -> serde_json::Value {
        match option {
            // Asked twice for one decision, it names the same.
            REWIND => serde_json::json!({"commit": self.commits[self.commits.len() / 2]}),
            _ => serde_json::Value::Null,
        }
    }
}
