//! The table's own transitions as actions: when each is possible, what taking it does, and what it
//! asks for before. It says what [`crate::position`] does, and nothing beside it.

use super::writer::{Writer, identifier, quoted, set};
use crate::ids::{CounterName, StateName};
use crate::table::{Actor, Completing, Guard, Kind, Slot, Stepping, Target, Transition};
use std::collections::BTreeMap;

impl Writer<'_> {
    /// The approvals that completing transitions may ask for, with the transitions behind each.
    pub(super) fn approvals(&self) -> BTreeMap<String, (StateName, Vec<&Transition>)> {
        let mut found: BTreeMap<String, (StateName, Vec<&Transition>)> = BTreeMap::new();
        for way in &self.table.transitions {
            if way.by == Actor::Human {
                continue;
            }
            for to in self.targets(way) {
                if self.table.state(&to).completing == Completing::Yes {
                    let hold = approval(way, &to);
                    found.entry(hold).or_insert((to, Vec::new())).1.push(way);
                }
            }
        }
        found
    }

    fn targets(&self, way: &Transition) -> Vec<StateName> {
        match &way.to {
            Target::State(state) => vec![state.clone()],
            Target::Return => {
                let returns = way
                    .from
                    .iter()
                    .flat_map(|from| self.table.possible_returns(from));
                let mut all: Vec<StateName> = returns.collect();
                all.sort();
                all.dedup();
                all
            }
        }
    }

    /// What the table itself can judge: [`Table::possible`] as conjuncts.
    fn possible(&self, way: &Transition) -> Vec<String> {
        let from = set(way.from.iter().map(StateName::as_str));
        let mut all = vec![format!("state \\in {from}")];
        if way.to == Target::Return {
            all.push("slot # \"none\"".to_owned());
        }
        all.extend(way.when.iter().filter_map(|guard| match guard {
            Guard::GatePass
            | Guard::GateFail
            | Guard::Requested
            | Guard::Shows(_)
            | Guard::Lost
            | Guard::Ended(_) => None,
            Guard::Left(counter) => Some(self.left(counter)),
            Guard::Spent(counter) => Some(self.spent(counter)),
            Guard::ReturnIs(state) => Some(format!("slot = {}", quoted(state))),
            Guard::ReturnEmpty => Some("slot = \"none\"".to_owned()),
            Guard::Stepped => Some("pace = \"stepped\"".to_owned()),
            Guard::Flowing => Some("pace = \"flowing\"".to_owned()),
        }));
        all
    }

    fn left(&self, counter: &CounterName) -> String {
        format!("{} < {}", self.variable(counter), self.table.cap(counter))
    }

    fn spent(&self, counter: &CounterName) -> String {
        format!("{} >= {}", self.variable(counter), self.table.cap(counter))
    }

    /// The effect of landing, as conjuncts on one line.
    fn land(&self, way: &Transition, to: &StateName) -> String {
        let mut changed = vec!["state", "slot", "passes", "hold"];
        let slot = match (&way.to, &way.slot) {
            (Target::Return, _) | (_, Slot::Clear) => "slot' = \"none\"".to_owned(),
            (_, Slot::Keep) => "slot' = slot".to_owned(),
            (_, Slot::SaveFrom) => "slot' = state".to_owned(),
            (_, Slot::Save(state)) => format!("slot' = {}", quoted(state)),
        };
        let active = matches!(self.table.state(to).kind, Kind::Work | Kind::Gate);
        let pauses = self.table.stepping == Stepping::Held
            && way.by != Actor::Human
            && way.when.contains(&Guard::GatePass)
            && active;
        let hold = if pauses {
            "hold' = (IF pace = \"stepped\" THEN \"step\" ELSE \"none\")"
        } else {
            "hold' = \"none\""
        };
        let mut parts = vec![
            format!("state' = {}", quoted(to)),
            slot,
            "passes' = 0".to_owned(),
            hold.to_owned(),
        ];
        let mut counters: BTreeMap<&str, String> = BTreeMap::new();
        for counter in &way.count {
            let (name, cap) = (self.variable(counter), self.table.cap(counter));
            let raised = format!("(IF {name} < {cap} THEN {name} + 1 ELSE {cap})");
            counters.insert(name, raised);
        }
        for counter in &way.reset {
            counters.insert(self.variable(counter), "0".to_owned());
        }
        for (name, value) in &counters {
            parts.push(format!("{name}' = {value}"));
            changed.push(name);
        }
        parts.push(self.unchanged_but(&changed));
        parts.join(" /\\ ")
    }

    fn transition(&mut self, name: &str, index: usize, to: &StateName) {
        let way = &self.table.transitions[index];
        let mut parts = vec![match way.by {
            Actor::Human => "~Over".to_owned(),
            Actor::Engine | Actor::Agent => "Active".to_owned(),
        }];
        parts.extend(self.possible(way));
        if way.to == Target::Return {
            parts.push(format!("slot = {}", quoted(to)));
        }
        if way.by == Actor::Human {
            // A person names an action, and gets the first possible transition of that name.
            let earlier = self.table.transitions[..index].iter().filter(|other| {
                other.by == Actor::Human
                    && other.action == way.action
                    && other.from.iter().any(|from| way.from.contains(from))
            });
            parts.extend(earlier.map(|other| format!("~({})", all_of(&self.possible(other)))));
            parts.push(self.land(way, to));
        } else {
            parts.push(self.fire(way, to));
        }
        self.action(name, &parts);
    }

    /// What happens when the engine takes a possible transition: a hold, or the landing.
    fn fire(&self, way: &Transition, to: &StateName) -> String {
        let keep = self.unchanged_but(&["hold"]);
        let mut body = self.land(way, to);
        if self.table.state(to).completing == Completing::Yes {
            let ask = quoted(approval(way, to));
            body = format!(
                "IF autonomy = \"auto\" /\\ risk = \"high\" THEN hold' = \"risk\" /\\ {keep} ELSE IF autonomy # \"auto\" THEN hold' = {ask} /\\ {keep} ELSE {body}"
            );
        }
        for counter in way.count.iter().rev() {
            let (spent, hold) = (self.spent(counter), quoted(format!("budget {counter}")));
            body = format!("IF {spent} THEN hold' = {hold} /\\ {keep} ELSE {body}");
        }
        format!("({body})")
    }

    /// What `approve` does: the first transition of that name that is possible lands.
    pub(super) fn approve(&self, to: &StateName, ways: &[&Transition]) -> String {
        let mut body = "FALSE".to_owned();
        for way in ways.iter().rev() {
            let mut when = self.possible(way);
            if way.to == Target::Return {
                when.push(format!("slot = {}", quoted(to)));
            }
            when.extend(way.count.iter().map(|counter| self.left(counter)));
            let landing = self.land(way, to);
            body = format!("IF {} THEN {landing} ELSE {body}", all_of(&when));
        }
        format!("({body})")
    }
}

fn approval(way: &Transition, to: &StateName) -> String {
    format!("approval {} {to}", way.action)
}

fn all_of(parts: &[String]) -> String {
    parts.join(" /\\ ")
}

/// Writes every transition; names all of them, and those that a person takes.
pub(super) fn transitions(w: &mut Writer<'_>) -> (Vec<String>, Vec<String>) {
    let (mut names, mut by_person): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (index, way) in w.table.transitions.iter().enumerate() {
        for to in w.targets(way) {
            let name = identifier("Do", way.action.as_str(), &names);
            w.transition(&name, index, &to);
            if way.by == Actor::Human {
                by_person.push(name.clone());
            }
            names.push(name);
        }
    }
    (names, by_person)
}
