//! Small tables, written short.

use kernel::table::{
    Completing, Counter, Guard, Kind, Renewal, Slot, Stalling, State, Stepping, Table, Target,
    Transition,
};
use kernel::{Actor, CounterName, StateName};
use std::collections::BTreeMap;

/// A table without transitions. States read `NAME:KIND`, `NAME:KIND:PASSES`, with a `!` at the end
/// of a completing one; ends complete. The first is initial.
pub(crate) fn table(states: &str, counters: &[(&str, u32)]) -> Table {
    let mut all = BTreeMap::new();
    let mut initial = None;
    for text in states.split_whitespace() {
        let completing = text.ends_with('!');
        let mut parts = text.trim_end_matches('!').split(':');
        let name = StateName::from(parts.next().expect("a name"));
        let kind = match parts.next().expect("a kind") {
            "work" => Kind::Work,
            "gate" => Kind::Gate,
            "wait" => Kind::Wait,
            "rest" => Kind::Rest,
            "end" => Kind::End,
            other => panic!("unknown kind {other}"),
        };
        let passes = parts.next().map_or(2, |n| n.parse().expect("a number"));
        initial.get_or_insert_with(|| name.clone());
        let completing = if completing || kind == Kind::End {
            Completing::Yes
        } else {
            Completing::No
        };
        all.insert(
            name,
            State {
                kind,
                passes,
                completing,
            },
        );
    }
    let counters = counters.iter().map(|(name, cap)| {
        let renewal = Renewal::OnPass;
        (CounterName::from(*name), Counter { cap: *cap, renewal })
    });
    Table {
        name: "t".to_owned(),
        initial: initial.expect("a state"),
        states: all,
        counters: counters.collect(),
        transitions: Vec::new(),
        stepping: Stepping::Held,
        stalling: Stalling::Counts,
    }
}

/// `way("pass", "a b", "c", Actor::Engine)`; `return` leads to the return slot.
pub(crate) fn way(action: &str, from: &str, to: &str, by: Actor) -> Transition {
    Transition {
        action: action.into(),
        from: from.split_whitespace().map(StateName::from).collect(),
        to: match to {
            "return" => Target::Return,
            to => Target::State(to.into()),
        },
        by,
        when: Vec::new(),
        count: Vec::new(),
        reset: Vec::new(),
        slot: Slot::Keep,
    }
}

pub(crate) trait Chain: Sized {
    fn when(self, guard: Guard) -> Self;
    fn count(self, counter: &str) -> Self;
    fn reset(self, counter: &str) -> Self;
    fn slot(self, slot: Slot) -> Self;
}

impl Chain for Transition {
    fn when(mut self, guard: Guard) -> Self {
        self.when.push(guard);
        self
    }
    fn count(mut self, counter: &str) -> Self {
        self.count.push(counter.into());
        self
    }
    fn reset(mut self, counter: &str) -> Self {
        self.reset.push(counter.into());
        self
    }
    fn slot(mut self, slot: Slot) -> Self {
        self.slot = slot;
        self
    }
}

/// Adds transitions.
pub(crate) fn with(mut table: Table, ways: impl IntoIterator<Item = Transition>) -> Table {
    table.transitions.extend(ways);
    table
}

/// Eight phases in a row, each with a gate, a retry and a fix under a counter that a passed gate
/// sets back. 41 states, 8 counters of cap 3.
pub(crate) fn pipeline() -> Table {
    const PHASES: [&str; 8] = [
        "expand",
        "design",
        "analyze",
        "build",
        "review",
        "reconcile",
        "verify",
        "deploy",
    ];
    let mut states = String::from("idea:wait setup:wait audit:work:3 configured:wait ");
    for phase in PHASES {
        states +=
            &format!("{phase}:work:3 {phase}_gate:gate:1 {phase}_retry:work:3 {phase}_fix:work:3 ");
    }
    states += "blocked:wait brake:wait complete:rest! iterate:wait retired:end";
    let counters: Vec<(&str, u32)> = PHASES.iter().map(|phase| (*phase, 3)).collect();
    let mut ways = vec![
        way("commit", "idea", "setup", Actor::Human),
        way("configure", "setup", "configured", Actor::Human),
        way("audit", "configured", "audit", Actor::Human),
        way("audited", "audit", "configured", Actor::Engine).when(Guard::GatePass),
        way("go", "configured", "expand", Actor::Human),
        way("iterate", "complete", "iterate", Actor::Human),
        way("confirm", "iterate", "expand", Actor::Human),
        way("retire", "complete iterate", "retired", Actor::Human),
        way("resume", "blocked brake", "return", Actor::Human),
    ];
    for (n, phase) in PHASES.iter().enumerate() {
        let name = |suffix: &str| format!("{phase}_{suffix}");
        let (gate, retry, fix) = (name("gate"), name("retry"), name("fix"));
        let next = PHASES.get(n + 1).copied().unwrap_or("complete");
        let spent = || Guard::Spent((*phase).into());
        ways.extend([
            way(&name("ready"), phase, &gate, Actor::Agent).when(Guard::Requested),
            way(&name("passed"), &gate, next, Actor::Engine)
                .when(Guard::GatePass)
                .reset(phase),
            way(&name("failed"), &gate, &retry, Actor::Engine)
                .when(Guard::GateFail)
                .when(Guard::Left((*phase).into()))
                .count(phase),
            way(&name("spent"), &gate, "blocked", Actor::Engine)
                .when(Guard::GateFail)
                .when(spent())
                .slot(Slot::Save((*phase).into())),
            way(&name("retried"), &retry, phase, Actor::Engine).when(Guard::GatePass),
            way(&name("broken"), &retry, &fix, Actor::Engine).when(Guard::GateFail),
            way(&name("fixed"), &fix, &gate, Actor::Engine).when(Guard::GatePass),
            way("brake", phase, "brake", Actor::Agent)
                .when(Guard::Requested)
                .slot(Slot::SaveFrom),
        ]);
    }
    let mut table = with(table(&states, &counters), ways);
    table.stalling = Stalling::Halts;
    assert_eq!((table.states.len(), table.counters.len()), (41, 8));
    table
}
