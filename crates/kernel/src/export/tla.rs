//! The table as a TLA+ module: the real guards, counters, holds and return slot as variables.
//!
//! It says what [`crate::position`] does, so TLC must count as many positions as our own
//! exploration; a test compares the two.

use crate::autonomy::Autonomy;
use crate::ids::StateName;
use crate::position::PASSES;
use crate::table::{
    Actor, Completing, Guard, Kind, Slot, Stalling, State, Stepping, Table, Target, Transition,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The module's name: `lights-out` becomes `LightsOut`.
pub fn tla_module_name(table: &Table) -> String {
    let mut name: String = table
        .name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars).collect::<String>()
        })
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, 'W');
    }
    name
}

/// The model checker's configuration for [`tla`].
pub fn tla_config() -> String {
    let mut text = String::from("SPECIFICATION Spec\nINVARIANTS\n");
    for invariant in INVARIANTS {
        let _ = writeln!(text, "    {invariant}");
    }
    text
}

const INVARIANTS: [&str; 6] = [
    "TypeOK",
    "CountersBounded",
    "ReturnKnown",
    "EndsAreQuiet",
    "HighRiskGuarded",
    "WayOut",
];

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names
        .into_iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    format!("{{{}}}", quoted.join(", "))
}

fn variable(counter: &str) -> String {
    let safe: String = counter
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("count_{safe}")
}

struct Writer<'a> {
    table: &'a Table,
    text: String,
    counters: Vec<(String, u32)>,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn states(&self, keep: impl Fn(&State) -> bool) -> String {
        let names = self.table.states.iter();
        set(names
            .filter(|(_, state)| keep(state))
            .map(|(name, _)| name.as_str()))
    }

    fn all_variables(&self) -> Vec<String> {
        let fixed = [
            "state", "slot", "passes", "hold", "autonomy", "pace", "risk", "stopped",
        ];
        let fixed = fixed.iter().map(|name| (*name).to_owned());
        fixed
            .chain(self.counters.iter().map(|(name, _)| name.clone()))
            .collect()
    }

    fn unchanged_but(&self, changed: &[&str]) -> String {
        let rest: Vec<String> = self
            .all_variables()
            .into_iter()
            .filter(|name| !changed.contains(&name.as_str()))
            .collect();
        format!("UNCHANGED <<{}>>", rest.join(", "))
    }

    /// The holds that a completing transition may raise, with the transition behind each.
    fn approvals(&self) -> BTreeMap<String, (usize, StateName)> {
        let mut found = BTreeMap::new();
        for (index, way) in self.table.transitions.iter().enumerate() {
            if way.by == Actor::Human {
                continue;
            }
            for to in self.targets(way) {
                if self.table.state(&to).completing == Completing::Yes {
                    found.entry(approval(way, &to)).or_insert((index, to));
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

    fn guard(&self, guard: &Guard) -> Option<String> {
        match guard {
            Guard::GatePass | Guard::GateFail | Guard::Requested => None,
            Guard::Left(counter) => Some(format!(
                "{} < {}",
                variable(counter.as_str()),
                self.table.cap(counter)
            )),
            Guard::Spent(counter) => Some(format!(
                "{} >= {}",
                variable(counter.as_str()),
                self.table.cap(counter)
            )),
            Guard::ReturnIs(state) => Some(format!("slot = \"{state}\"")),
            Guard::ReturnEmpty => Some("slot = \"none\"".to_owned()),
            Guard::Stepped => Some("pace = \"stepped\"".to_owned()),
            Guard::Flowing => Some("pace = \"flowing\"".to_owned()),
        }
    }

    /// The effect of landing, as conjuncts on one line.
    fn land(&self, way: &Transition, to: &StateName) -> String {
        let mut changed = vec!["state", "slot", "passes", "hold"];
        let slot = match (&way.to, &way.slot) {
            (Target::Return, _) | (_, Slot::Clear) => "slot' = \"none\"".to_owned(),
            (_, Slot::Keep) => "slot' = slot".to_owned(),
            (_, Slot::SaveFrom) => "slot' = state".to_owned(),
            (_, Slot::Save(state)) => format!("slot' = \"{state}\""),
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
            format!("state' = \"{to}\""),
            slot,
            "passes' = 0".to_owned(),
            hold.to_owned(),
        ];
        let mut counters: BTreeMap<String, String> = BTreeMap::new();
        for counter in &way.count {
            let (name, cap) = (variable(counter.as_str()), self.table.cap(counter));
            let raised = format!("(IF {name} < {cap} THEN {name} + 1 ELSE {cap})");
            counters.insert(name, raised);
        }
        for counter in &way.reset {
            counters.insert(variable(counter.as_str()), "0".to_owned());
        }
        for (name, value) in &counters {
            parts.push(format!("{name}' = {value}"));
            changed.push(name);
        }
        parts.push(self.unchanged_but(&changed));
        parts.join(" /\\ ")
    }

    fn transition(&mut self, name: &str, way: &Transition, to: &StateName) {
        self.line(&format!("{name} =="));
        let from = set(way.from.iter().map(StateName::as_str));
        if way.by == Actor::Human {
            self.line("    /\\ ~stopped");
        } else {
            self.line("    /\\ Active");
        }
        self.line(&format!("    /\\ state \\in {from}"));
        if way.to == Target::Return {
            self.line(&format!("    /\\ slot = \"{to}\""));
        }
        for guard in &way.when {
            if let Some(text) = self.guard(guard) {
                self.line(&format!("    /\\ {text}"));
            }
        }
        let mut body = self.land(way, to);
        if way.by != Actor::Human {
            let keep = self.unchanged_but(&["hold"]);
            if self.table.state(to).completing == Completing::Yes {
                body = format!(
                    "IF autonomy = \"auto\" /\\ risk = \"high\" THEN hold' = \"risk\" /\\ {keep} ELSE IF autonomy # \"auto\" THEN hold' = \"{}\" /\\ {keep} ELSE {body}",
                    approval(way, to)
                );
            }
            for counter in way.count.iter().rev() {
                body = format!(
                    "IF {} >= {} THEN hold' = \"budget {counter}\" /\\ {keep} ELSE {body}",
                    variable(counter.as_str()),
                    self.table.cap(counter)
                );
            }
        }
        self.line(&format!("    /\\ ({body})"));
        self.line("");
    }

    fn action(&mut self, name: &str, parts: &[String]) {
        self.line(&format!("{name} =="));
        for part in parts {
            self.line(&format!("    /\\ {part}"));
        }
        self.line("");
    }

    fn held(&mut self, name: &str, holds: &[&str], parts: &[String]) {
        let mut all = vec![
            "~stopped".to_owned(),
            format!("hold \\in {}", set(holds.iter().copied())),
        ];
        all.extend(parts.iter().cloned());
        self.action(name, &all);
    }
}

fn approval(way: &Transition, to: &StateName) -> String {
    format!("approval {} {to}", way.action)
}

fn identifier(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("Do_{safe}")
}

/// The whole module.
pub fn tla(table: &Table) -> String {
    let counters = table
        .counters
        .iter()
        .map(|(name, counter)| (variable(name.as_str()), counter.cap))
        .collect();
    let mut w = Writer {
        table,
        text: String::new(),
        counters,
    };
    head(&mut w);
    let mut onward = transitions(&mut w);
    onward.extend(engine_steps(&mut w));
    onward.extend(answers(&mut w));
    w.action(
        "Stop",
        &[
            "~Over".to_owned(),
            "stopped' = TRUE".to_owned(),
            "hold' = \"none\"".to_owned(),
            w.unchanged_but(&["stopped", "hold"]),
        ],
    );
    w.action(
        "Finished",
        &["Over".to_owned(), "UNCHANGED vars".to_owned()],
    );
    w.line("Onward ==");
    for name in &onward {
        w.line(&format!("    \\/ {name}"));
    }
    w.line("\nNext == Onward \\/ Stop \\/ Finished\n");
    w.line("Spec == Init /\\ [][Next]_vars\n");
    invariants(&mut w);
    w.line("====");
    w.text
}

fn head(w: &mut Writer<'_>) {
    let table = w.table;
    w.line(&format!("---- MODULE {} ----", tla_module_name(table)));
    w.line(&format!(
        "\\* The workflow `{}`, exported by Proofhouse.",
        table.name
    ));
    w.line(
        "\\* Gate results and agents' requests are the world's: every outcome of them is possible.",
    );
    w.line("EXTENDS Naturals\n");
    let variables = w.all_variables().join(", ");
    w.line(&format!("VARIABLES {variables}\n"));
    w.line(&format!("vars == <<{variables}>>\n"));
    let (all, active) = (
        w.states(|_| true),
        w.states(|state| matches!(state.kind, Kind::Work | Kind::Gate)),
    );
    let work = w.states(|state| state.kind == Kind::Work);
    let ends = w.states(|state| state.kind == Kind::End);
    let completing = w.states(|state| state.completing == Completing::Yes);
    w.line(&format!("States == {all}"));
    w.line(&format!("ActiveStates == {active}"));
    w.line(&format!("WorkStates == {work}"));
    w.line(&format!("Ends == {ends}"));
    w.line(&format!("Completing == {completing}"));
    let mut holds: Vec<String> = [
        "none",
        "step",
        "stall",
        "risk",
        "trouble",
        "budget passes",
        "budget run",
    ]
    .iter()
    .map(|hold| (*hold).to_owned())
    .collect();
    holds.extend(
        table
            .counters
            .keys()
            .map(|counter| format!("budget {counter}")),
    );
    holds.extend(w.approvals().into_keys());
    w.line(&format!(
        "Holds == {}",
        set(holds.iter().map(String::as_str))
    ));
    let caps: Vec<String> = table
        .states
        .iter()
        .map(|(name, state)| format!("s = \"{name}\" -> {}", state.passes))
        .collect();
    w.line(&format!(
        "PassCap(s) == CASE {} [] OTHER -> 1\n",
        caps.join(" [] ")
    ));
    w.line("Over == stopped \\/ state \\in Ends");
    w.line("Active == ~stopped /\\ hold = \"none\" /\\ state \\in ActiveStates\n");
    w.line("Init ==");
    w.line(&format!("    /\\ state = \"{}\"", table.initial));
    w.line("    /\\ slot = \"none\"\n    /\\ passes = 0\n    /\\ hold = \"none\"");
    w.line(&format!(
        "    /\\ autonomy \\in {}",
        set(Autonomy::ALL.iter().map(|rung| rung.as_str()))
    ));
    w.line(
        "    /\\ pace \\in {\"flowing\", \"stepped\"}\n    /\\ risk \\in {\"normal\", \"high\"}",
    );
    w.line("    /\\ stopped = FALSE");
    for (name, _) in w.counters.clone() {
        w.line(&format!("    /\\ {name} = 0"));
    }
    w.line("");
}

fn transitions(w: &mut Writer<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for way in &w.table.transitions {
        for to in w.targets(way) {
            let base = identifier(way.action.as_str());
            let mut name = base.clone();
            let mut serial = 2;
            while names.contains(&name) {
                name = format!("{base}_{serial}");
                serial += 1;
            }
            w.transition(&name, way, &to);
            names.push(name);
        }
    }
    names
}

fn engine_steps(w: &mut Writer<'_>) -> Vec<String> {
    let keep = w.unchanged_but(&["passes", "hold"]);
    w.action(
        "Again",
        &[
            "Active".to_owned(),
            "passes' = passes + 1".to_owned(),
            "hold' = (IF passes + 1 >= PassCap(state) THEN \"budget passes\" ELSE \"none\")"
                .to_owned(),
            keep,
        ],
    );
    let mut names = vec!["Again".to_owned()];
    let mut raise = |w: &mut Writer<'_>, name: &str, hold: &str, states: &str| {
        let parts = [
            "Active".to_owned(),
            format!("state \\in {states}"),
            format!("hold' = \"{hold}\""),
            w.unchanged_but(&["hold"]),
        ];
        w.action(name, &parts);
        names.push(name.to_owned());
    };
    if w.table.stalling == Stalling::Halts {
        raise(w, "Stall", "stall", "WorkStates");
    }
    raise(w, "Exhaust", "budget run", "ActiveStates");
    raise(w, "Trouble", "trouble", "ActiveStates");
    names
}

fn answers(w: &mut Writer<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let clear = "hold' = \"none\"".to_owned();
    let keep = w.unchanged_but(&["hold"]);
    w.held(
        "Continue",
        &["step", "stall"],
        &[clear.clone(), keep.clone()],
    );
    w.held("Retry", &["trouble"], &[clear.clone(), keep.clone()]);
    w.held("ExtendRun", &["budget run"], &[clear.clone(), keep.clone()]);
    let passes = format!("budget {PASSES}");
    let keep_passes = w.unchanged_but(&["hold", "passes"]);
    w.held(
        "ExtendPasses",
        &[&passes],
        &[clear.clone(), "passes' = 0".to_owned(), keep_passes],
    );
    let lowered = w.unchanged_but(&["hold", "autonomy"]);
    let lower = "autonomy' = \"conservative\"".to_owned();
    w.held("Lower", &["risk"], &[clear.clone(), lower, lowered]);
    for name in ["Continue", "Retry", "ExtendRun", "ExtendPasses", "Lower"] {
        names.push(name.to_owned());
    }
    for counter in w.table.counters.keys() {
        let variable = variable(counter.as_str());
        let name = format!("Extend_{variable}");
        let keep = w.unchanged_but(&["hold", &variable]);
        let hold = format!("budget {counter}");
        w.held(
            &name,
            &[&hold],
            &[clear.clone(), format!("{variable}' = 0"), keep],
        );
        names.push(name);
    }
    for (serial, (hold, (index, to))) in w.approvals().into_iter().enumerate() {
        let body = w.land(&w.table.transitions[index], &to);
        let approve = format!("Approve_{}", serial + 1);
        w.held(&approve, &[&hold], &[body]);
        let reject = format!("Reject_{}", serial + 1);
        w.held(&reject, &[&hold], &[clear.clone(), keep.clone()]);
        names.extend([approve, reject]);
    }
    names
}

fn invariants(w: &mut Writer<'_>) {
    w.line("TypeOK ==");
    w.line("    /\\ state \\in States\n    /\\ slot \\in States \\cup {\"none\"}\n    /\\ hold \\in Holds");
    w.line(
        "    /\\ passes \\in Nat\n    /\\ autonomy \\in {\"manual\", \"conservative\", \"auto\"}",
    );
    w.line(
        "    /\\ pace \\in {\"flowing\", \"stepped\"}\n    /\\ risk \\in {\"normal\", \"high\"}",
    );
    w.line("    /\\ stopped \\in BOOLEAN");
    for (name, _) in w.counters.clone() {
        w.line(&format!("    /\\ {name} \\in Nat"));
    }
    w.line("\n\\* No loop runs past its budget.\nCountersBounded ==");
    w.line("    /\\ passes <= PassCap(state)");
    for (name, cap) in w.counters.clone() {
        w.line(&format!("    /\\ {name} <= {cap}"));
    }
    let mut returning: Vec<&str> = Vec::new();
    for way in w
        .table
        .transitions
        .iter()
        .filter(|way| way.to == Target::Return)
    {
        returning.extend(way.from.iter().map(StateName::as_str));
    }
    returning.sort_unstable();
    returning.dedup();
    w.line("\n\\* Where a run may return, it knows where to.");
    w.line(&format!(
        "ReturnKnown == state \\in {} => slot # \"none\"",
        set(returning)
    ));
    w.line("\nEndsAreQuiet == state \\in Ends => hold = \"none\"");
    w.line("\n\\* `unguarded_high_risk_auto`: a high-risk run under auto never completes.");
    w.line(
        "HighRiskGuarded == (autonomy = \"auto\" /\\ risk = \"high\") => state \\notin Completing",
    );
    w.line("\n\\* Nothing but an end is without a way on.\nWayOut == Over \\/ ENABLED Onward\n");
}
