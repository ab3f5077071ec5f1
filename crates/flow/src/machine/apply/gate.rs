//! A gate has spoken: did it pass, and what do the next brief and the people hear of it? A check that
//! could not be held costs the agent nothing.

use crate::machine::memory::{REPEATED, UNPROVEN};
use crate::machine::state::{FlowState, GateMemo, Patience, Stage};
use crate::workflow::{Checkpoints, Workflow};
use kernel::effect::Weight;
use kernel::event::GateEnded;
use kernel::outcome::{CheckResult, Verdict, passes};
use kernel::table::Kind;
use kernel::{Refusal, Time, Word};

impl FlowState {
    pub(super) fn gate_ended(&mut self, workflow: &Workflow, at: Time, ended: &GateEnded) {
        let results = &ended.results;
        let stall = workflow.stall_check.as_deref();
        let (stalls, gate): (Vec<_>, Vec<_>) = results
            .iter()
            .cloned()
            .partition(|result| stall == Some(result.check.as_str()));
        self.losses = 0;
        let stalled = !passes(&stalls);
        // One verdict: where a pass without progress stops the run, its gate has not passed.
        let passed = passes(&gate) && !(stalled && workflow.stall_stops);
        self.judged = ended.tree.clone().filter(|_| passed);
        let binding = |result: &&CheckResult| result.weight == Weight::Binding;
        // Nobody has worked here yet: that what is there does not do is no failure of anybody's.
        let works = workflow.table.state(&self.position.state).kind == Kind::Work;
        if works && self.tries_first() && !passed {
            // Whoever works here is told what is still missing.
            self.note_failures(&gate);
            self.stage = Stage::Fresh;
            self.turn_down(&gate);
            return;
        }
        // Not the agent's to mend: neither a pass nor a try is used up for it.
        let counts = |result: &&CheckResult| binding(result) || workflow.rules > 1;
        if let Some(unheld) = results.iter().filter(counts).find(|one| one.is_unheld()) {
            let attempt = match self.stage {
                Stage::Gating { attempt, .. } => attempt,
                _ => None,
            };
            self.stage = Stage::Stuck {
                why: format!("check `{}` could not run: {}", unheld.check, unheld.reason),
                answered: attempt,
            };
            // All the same, this gate has not passed, whatever it said the last time.
            let memo = GateMemo {
                passed: false,
                results: gate,
                moves: self.moves,
                at,
            };
            self.gates.insert(self.position.state.clone(), memo);
            return;
        }
        self.note_failures(gate.iter().chain(&stalls));
        let refused = gate
            .iter()
            .filter(binding)
            .filter(|result| result.verdict != Verdict::Pass);
        if let Some((code, result)) = refused
            .filter_map(|result| Some((result.code.as_ref()?, result)))
            .next()
        {
            let what = format!("{}: {}", result.check, result.reason);
            let mend = "the next brief says so; the gate is run again after the next attempt";
            self.refuse(Refusal::new(code, what, mend));
        }
        self.words = gate
            .iter()
            .flat_map(|result| result.shows.clone())
            .collect();
        let could_not = |result: &CheckResult| result.verdict == Verdict::CouldNotRun;
        if gate.iter().filter(binding).any(could_not) {
            self.words.insert(Word::from(UNPROVEN));
        }
        self.heard(workflow, &gate);
        self.keep_findings(&gate);
        let state = self.position.state.clone();
        if !works {
            self.idle.judged(&state, passed);
        }
        if passed {
            self.refusal_met = true;
            for result in &gate {
                self.frozen.extend(result.froze.clone());
            }
            self.memory.passed(&state);
        } else if self.memory.failed(&state, &gate, self.outcome.as_ref()) {
            self.words.insert(Word::from(REPEATED));
        }
        let goes_on = workflow.states[&state].goes_on.as_ref();
        if passed && !stalled && goes_on.is_some_and(|word| self.words.contains(word)) {
            self.part_passed(workflow, &gate, at);
            return;
        }
        let memo = GateMemo {
            passed,
            results: gate,
            moves: self.moves,
            at,
        };
        self.gates.insert(self.position.state.clone(), memo);
        self.stage = Stage::Judged { passed, stalled };
        if !passed {
            self.turn_down(&[]);
        }
    }

    /// A part of the state's work has passed: it is kept, and the work goes on. The gate of the whole
    /// does not stand yet, and no pass was used up; the attempts are counted all the same.
    fn part_passed(&mut self, workflow: &Workflow, gate: &[CheckResult], at: Time) {
        let state = self.position.state.clone();
        self.gates.remove(&state);
        self.patience = Patience::default();
        let outcome = self.outcome.take();
        self.snapshots
            .part(workflow.snapshot.as_ref(), &state, outcome.as_ref());
        for result in gate.iter().filter(|result| !result.shows.is_empty()) {
            self.note(format!("check `{}`: {}", result.check, result.reason));
        }
        if workflow.checkpoints == Checkpoints::PassedGates {
            let subject = format!("{}: a part of {state} passed its gate", workflow.name);
            self.checkpoint_due = Some(subject);
            self.checkpoint_of = Some(state);
        }
        self.stage = Stage::Fresh;
        self.take_turn(workflow, at);
    }

    /// It is the turn of the next unknown: whoever was sent ahead for it works on as if sent now, or has
    /// ended already.
    fn take_turn(&mut self, workflow: &Workflow, at: Time) {
        let (spec, state) = (workflow.snapshot.as_ref(), self.position.state.clone());
        let Some(issue) = self.snapshots.question(spec, &state) else {
            return;
        };
        let Some(effect) = self.ahead.of(&issue.id.clone()) else {
            return;
        };
        self.turn_of(effect);
        if let Some(ended) = self.ahead.take(effect) {
            self.attempt_ended(workflow, &ended, at);
        }
    }

    /// People see what was refused, until a gate passes.
    pub(in crate::machine) fn refuse(&mut self, refusal: Refusal) {
        self.last_refusal = Some(refusal);
        self.refusal_met = false;
    }

    /// What a person asked for in the state file is not granted by this gate.
    fn turn_down(&mut self, gate: &[CheckResult]) {
        let Some(asked) = self.asked.take() else {
            return;
        };
        let failing = gate.iter().filter(|one| !passes(std::slice::from_ref(one)));
        let why: Vec<String> = failing
            .map(|one| format!("{}: {}", one.check, one.reason))
            .collect();
        let why = match why.is_empty() {
            true => String::new(),
            false => format!(" ({})", why.join("; ")),
        };
        let what = format!(
            "`{asked}` was asked for in the state file, and the gate of `{}` does not pass{why}",
            self.position.state
        );
        let mend = "the next attempt hears of it; ask again when it has ended";
        let refusal = Refusal::new("header_not_taken", what, mend);
        self.note(refusal.what.clone());
        self.refuse(refusal);
    }

    /// Notes for the next brief what did not pass, whole.
    pub(super) fn note_failures<'r>(&mut self, results: impl IntoIterator<Item = &'r CheckResult>) {
        let binding = |result: &&CheckResult| result.weight == Weight::Binding;
        let results = results.into_iter().filter(binding);
        for result in results.filter(|result| result.verdict != Verdict::Pass) {
            let code = result.code.as_ref();
            let code = code.map_or_else(String::new, |code| format!(" [{code}]"));
            let details: Vec<String> = result
                .details
                .lines()
                .map(|line| format!("\n    {line}"))
                .collect();
            self.note(format!(
                "check `{}` {}{code}: {}{}",
                result.check,
                result.verdict.as_str(),
                result.reason,
                details.concat()
            ));
        }
    }
}
