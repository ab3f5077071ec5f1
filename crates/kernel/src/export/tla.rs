//! The table as a TLA+ module: the real guards, counters, holds and return slot as variables.
//!
//! It says what [`crate::position`] does, so TLC must count as many positions as our own
//! exploration; a test compares the two.

use crate::autonomy::Autonomy;
use crate::ids::{CounterName, StateName};
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
    if STANDARD_MODULES.contains(&name.as_str()) {
        name.push_str("Workflow");
    }
    name
}

/// A module of ours must not hide one of these from the model checker.
const STANDARD_MODULES: [&str; 10] = [
    "Bags",
    "FiniteSets",
    "Integers",
    "Json",
    "Naturals",
    "Randomization",
    "RealTime",
    "Reals",
    "Sequences",
    "TLC",
];

/// The model checker's configuration for [`tla`].
pub fn tla_config() -> String {
    let mut text = String::from("SPECIFICATION Spec\nINVARIANTS\n");
    for invariant in INVARIANTS {
        let _ = writeln!(text, "    {invariant}");
    }
    text.push_str("PROPERTIES\n    HighRiskGuarded\n");
    text
}

const INVARIANTS: [&str; 5] = [
    "TypeOK",
    "CountersBounded",
    "ReturnKnown",
    "EndsAreQuiet",
    "WayOut",
];

/// A TLA+ string.
fn quoted(name: impl std::fmt::Display) -> String {
    let name = name.to_string();
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = names.into_iter().map(quoted).collect();
    format!("{{{}}}", all.join(", "))
}

/// A TLA+ identifier that is not in `taken` yet.
fn identifier(prefix: &str, name: &str, taken: &[String]) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let base = format!("{prefix}_{safe}");
    let numbered = (2u32..).map(|serial| format!("{base}_{serial}"));
    std::iter::once(base.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or(base)
}

struct Writer<'a> {
    table: &'a Table,
    text: String,
    /// Each counter's variable and cap.
    counters: BTreeMap<&'a CounterName, (String, u32)>,
}

impl Writer<'_> {
    fn variable(&self, counter: &CounterName) -> &str {
        self.counters
            .get(counter)
            .map_or("unknown_counter", |(name, _)| name)
    }

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
            .chain(self.counters.values().map(|(name, _)| name.clone()))
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

    /// The approvals that completing transitions may ask for, with the transitions behind each.
    fn approvals(&self) -> BTreeMap<String, (StateName, Vec<&Transition>)> {
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
    fn approve(&self, to: &StateName, ways: &[&Transition]) -> String {
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

    fn action(&mut self, name: &str, parts: &[String]) {
        self.line(&format!("{name} =="));
        for part in parts {
            self.line(&format!("    /\\ {part}"));
        }
        self.line("");
    }

    fn held(&mut self, name: &str, holds: &[&str], parts: &[String]) {
        let mut all = vec![
            "~Over".to_owned(),
            format!("hold \\in {}", set(holds.iter().copied())),
        ];
        all.extend(parts.iter().cloned());
        self.action(name, &all);
    }
}

fn approval(way: &Transition, to: &StateName) -> String {
    format!("approval {} {to}", way.action)
}

fn all_of(parts: &[String]) -> String {
    parts.join(" /\\ ")
}

/// The whole module.
pub fn tla(table: &Table) -> String {
    let mut taken: Vec<String> = Vec::new();
    let mut counters = BTreeMap::new();
    for (name, counter) in &table.counters {
        let variable = identifier("count", name.as_str(), &taken);
        taken.push(variable.clone());
        counters.insert(name, (variable, counter.cap));
    }
    let mut w = Writer {
        table,
        text: String::new(),
        counters,
    };
    head(&mut w);
    let (mut onward, by_person) = transitions(&mut w);
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
    any_of(&mut w, "Onward", &onward);
    any_of(&mut w, "ByPerson", &by_person);
    w.line("Next == Onward \\/ Stop \\/ Finished\n");
    w.line("Spec == Init /\\ [][Next]_vars\n");
    invariants(&mut w);
    w.line("====");
    w.text
}

fn any_of(w: &mut Writer<'_>, name: &str, actions: &[String]) {
    w.line(&format!("{name} =="));
    if actions.is_empty() {
        w.line("    FALSE");
    }
    for action in actions {
        w.line(&format!("    \\/ {action}"));
    }
    w.line("");
}

fn head(w: &mut Writer<'_>) {
    let table = w.table;
    w.line(&format!("---- MODULE {} ----", tla_module_name(table)));
    w.line(&format!(
        "\\* The workflow `{}`, exported by Proofhouse.",
        table.name.escape_debug()
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
        .map(|(name, state)| format!("s = {} -> {}", quoted(name), state.passes))
        .collect();
    w.line(&format!(
        "PassCap(s) == CASE {} [] OTHER -> 1\n",
        caps.join(" [] ")
    ));
    w.line("Over == stopped \\/ state \\in Ends");
    w.line("Active == ~stopped /\\ hold = \"none\" /\\ state \\in ActiveStates\n");
    w.line("Init ==");
    w.line(&format!("    /\\ state = {}", quoted(&table.initial)));
    w.line("    /\\ slot = \"none\"\n    /\\ passes = 0\n    /\\ hold = \"none\"");
    w.line(&format!(
        "    /\\ autonomy \\in {}",
        set(Autonomy::ALL.iter().map(|rung| rung.as_str()))
    ));
    w.line(
        "    /\\ pace \\in {\"flowing\", \"stepped\"}\n    /\\ risk \\in {\"normal\", \"high\"}",
    );
    w.line("    /\\ stopped = FALSE");
    for (name, _) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} = 0"));
    }
    w.line("");
}

/// Writes every transition; names all of them, and those that a person takes.
fn transitions(w: &mut Writer<'_>) -> (Vec<String>, Vec<String>) {
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
    w.held("Lower", &["risk"], &[clear.clone(), lower.clone(), lowered]);
    let waits = w.states(|state| state.kind == Kind::Wait);
    let asked = [
        "~Over".to_owned(),
        "hold = \"none\"".to_owned(),
        format!("state \\in {waits}"),
        "autonomy = \"auto\" /\\ risk = \"high\"".to_owned(),
        lower,
        w.unchanged_but(&["autonomy"]),
    ];
    w.action("LowerWhereAsked", &asked);
    let fixed = ["Continue", "Retry", "ExtendRun", "ExtendPasses"];
    for name in fixed.into_iter().chain(["Lower", "LowerWhereAsked"]) {
        names.push(name.to_owned());
    }
    for counter in w.table.counters.keys() {
        let variable = w.variable(counter).to_owned();
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
    let approvals: Vec<(String, String)> = w
        .approvals()
        .into_iter()
        .map(|(hold, (to, ways))| (hold, w.approve(&to, &ways)))
        .collect();
    for (serial, (hold, body)) in approvals.into_iter().enumerate() {
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
    for (name, _) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} \\in Nat"));
    }
    w.line("\n\\* No loop runs past its budget.\nCountersBounded ==");
    w.line("    /\\ passes <= PassCap(state)");
    for (name, cap) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} <= {cap}"));
    }
    let only_return = |name: &StateName| {
        let mut leaving = w.table.leaving(name).peekable();
        leaving.peek().is_some() && leaving.all(|(_, way)| way.to == Target::Return)
    };
    let returning: Vec<&str> = w
        .table
        .states
        .keys()
        .filter(|name| only_return(name))
        .map(StateName::as_str)
        .collect();
    w.line("\n\\* Where a run can only return, it knows where to.");
    w.line(&format!(
        "ReturnKnown == state \\in {} => slot # \"none\"",
        set(returning)
    ));
    w.line("\nEndsAreQuiet == state \\in Ends => hold = \"none\"");
    w.line(
        "\n\\* `unguarded_high_risk_auto`: a high-risk run under auto never completes by itself.",
    );
    w.line("Completes == state' # state /\\ state' \\in Completing");
    w.line(
        "HighRiskGuarded == [][(autonomy = \"auto\" /\\ risk = \"high\" /\\ Completes) => ByPerson]_vars",
    );
    w.line("\n\\* Nothing but an end is without a way on.\nWayOut == Over \\/ ENABLED Onward\n");
}
