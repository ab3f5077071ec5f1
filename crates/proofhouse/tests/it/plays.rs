//! Each gate and each decision of a workflow, from its own table: `tests/data/gates/` has bad work for
//! every gate, `tests/data/decisions/` what people say. A gate or a decision that is new in a workflow
//! is missed here until somebody plays it.

use crate::play::{Ends, Play, Seen, Stage, Step, Verdict, decisions, gates, laid, read, workflow};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The bad work of a workflow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gates {
    /// One run in which every gate fails once, and the work goes on to its end.
    once: Play,
    gate: Vec<Gate>,
}

/// A gate, and the work that it holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gate {
    state: String,
    /// The bad work, or the block of another file that has it.
    bad: String,
    /// Who does it, where nobody works in the state itself.
    by: Option<String>,
    /// In the run of all gates: in which attempt of the state it is done.
    #[serde(default = "first")]
    nth: u32,
    /// It stands on a way that excludes others, so that no run meets all: a play of decisions passes it.
    #[serde(default)]
    alone: bool,
    /// How often the gate fails until a person is asked.
    #[serde(default = "three")]
    fails: usize,
    /// Further arguments of `new`.
    #[serde(default)]
    new: Vec<String>,
    #[serde(default)]
    unasked: bool,
    /// Other agents that are needed on the way, as in a play.
    #[serde(default)]
    lays: Vec<String>,
    #[serde(default)]
    script: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// How one gets there.
    #[serde(default)]
    does: Vec<String>,
    /// Actions that follow each other.
    #[serde(default)]
    acts: Vec<String>,
    /// Where the run stands after the last failure.
    ends: Ends,
}

fn first() -> u32 {
    1
}

fn three() -> usize {
    3
}

impl Gate {
    /// The bad work, in every attempt or in one; `NTH` is different each time.
    fn bad(&self, attempt: Option<u32>) -> String {
        let bad = match self.bad.contains('\n') {
            true => self.bad.clone(),
            // A block says itself whose it is.
            false => laid(&self.bad)
                .lines()
                .skip(2)
                .collect::<Vec<_>>()
                .join("\n"),
        };
        let by = self.by.as_ref().unwrap_or(&self.state);
        let only = |nth: u32| {
            let bad = bad.replace("NTH", &nth.to_string());
            format!("[[attempt]]\nstate = \"{by}\"\nattempt = {nth}\n{bad}\n")
        };
        match attempt {
            Some(nth) => only(nth),
            None => (1..=9).map(only).collect(),
        }
    }

    fn thrice(&self, workflow: &str) -> Play {
        Play {
            workflow: workflow.to_owned(),
            files: self.files.clone(),
            new: self.new.clone(),
            unasked: self.unasked,
            lays: self.lays.clone(),
            script: format!("{}{}", self.bad(None), self.script),
            instead: BTreeMap::new(),
            does: self.does.clone(),
            ends: self.ends.clone(),
            not: None,
            sees: Vec::new(),
            acts: self.acts.clone(),
            unchanged: Vec::new(),
            holds: BTreeMap::new(),
            again: Vec::new(),
        }
    }
}

fn bad_work(name: &str) -> Gates {
    let all: Gates = read(&format!("gates/{name}.toml"));
    let played: BTreeSet<String> = all.gate.iter().map(|gate| gate.state.clone()).collect();
    assert_eq!(played, gates(&workflow(name)), "the gates of `{name}`");
    assert_eq!(played.len(), all.gate.len(), "a gate twice");
    all
}

/// Every gate of the workflow fails once in this run, passes after that, and the run ends well.
#[track_caller]
fn once(name: &str) {
    let all = bad_work(name);
    let mut play = all.once;
    assert_eq!(play.workflow, name);
    let mut gates = all.gate;
    gates.retain(|gate| !gate.alone);
    let bad: String = gates.iter().map(|gate| gate.bad(Some(gate.nth))).collect();
    play.script = format!("{bad}{}", play.script);
    let stage = Stage::set(&play);
    let mut faults = play.faults_on(&stage);
    let seen = Seen::of(&stage.world);
    for gate in &gates {
        let verdicts = seen.gates.get(&gate.state).cloned().unwrap_or_default();
        let failed = seen.failures(&gate.state);
        if failed != 1 || verdicts.last() != Some(&Verdict::Passed) {
            let acts = &seen.actions;
            faults.push(format!(
                "the gate of {}: {verdicts:?} in {acts:?}",
                gate.state
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every gate of the workflow goes on failing, and the run ends at a person.
#[track_caller]
fn thrice(name: &str) {
    let mut faults = Vec::new();
    for gate in &bad_work(name).gate {
        let play = gate.thrice(name);
        let stage = Stage::set(&play);
        let mut found = play.faults_on(&stage);
        let seen = Seen::of(&stage.world);
        let failed = seen.failures(&gate.state);
        if failed != gate.fails {
            found.push(format!("it failed {failed} times: {:?}", seen.actions));
        }
        if gate.ends.waits.is_none() {
            found.push("nobody is asked".to_owned());
        }
        faults.extend(
            found
                .into_iter()
                .map(|fault| format!("{}: {fault}", gate.state)),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What people say, in a few runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decisions {
    play: BTreeMap<String, Play>,
}

/// Every word that only a person may say is said in one of the plays, and leads where it must.
#[track_caller]
fn every_decision(name: &str) {
    let all: Decisions = read(&format!("decisions/{name}.toml"));
    let (mut said, mut faults) = (BTreeSet::new(), Vec::new());
    for (title, play) in &all.play {
        assert_eq!(play.workflow, name);
        let stage = Stage::set(play);
        let found = play.faults_on(&stage);
        faults.extend(found.into_iter().map(|fault| format!("{title}: {fault}")));
        said.extend(Seen::of(&stage.world).said);
    }
    let wanted = decisions(&workflow(name));
    let missed: Vec<&String> = wanted.difference(&said).collect();
    if !missed.is_empty() {
        faults.push(format!("nobody says {missed:?}"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Work in the form of honest work, in which nothing is said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unsaid {
    workflow: String,
    gate: Vec<Hollow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hollow {
    state: String,
    /// What is done first, with `{{name}}` where something should be said.
    bad: String,
    /// What is done about it; without it, what the honest agent does.
    mended: Option<String>,
    /// How one gets there.
    #[serde(default)]
    lays: Vec<String>,
    /// Too few texts stand there for one sentence to stand in several of them.
    #[serde(default)]
    few: bool,
    /// Its texts have no name of their own that could be said again.
    #[serde(default)]
    unnamed: bool,
}

/// One way to say nothing: the text for a place of this name, the how-manieth it is.
struct Way<'w> {
    says: &'w dyn Fn(&str, usize) -> String,
    meets: &'w dyn Fn(&Hollow) -> bool,
}

/// Replaces each `{{name}}`.
fn said(text: &str, way: &Way<'_>) -> String {
    let mut parts = text.split("{{");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        let (name, rest) = part.split_once("}}").expect("a closed name");
        said += &(way.says)(name, at);
        said += rest;
    }
    said
}

/// Sentences of a workflow's own briefs that can stand in a script.
fn taught(name: &str) -> Vec<String> {
    let briefs = workflow(name).teaches().replace('\n', " ");
    let sentences = briefs.split(". ").map(|one| one.trim().to_owned());
    let plain = |one: &String| {
        let words = one.split(' ').count();
        (7..20).contains(&words) && !one.contains(['"', '`', '\\', '{', '#', '(', ':', ';', '-'])
    };
    sentences.filter(plain).collect()
}

/// Whoever says nothing is refused at each gate by itself, in whichever way, and passes once something
/// is said there: in each play all gates that are met fail exactly once.
#[track_caller]
fn hollow(name: &str) {
    let all: Unsaid = read(&format!("hollow/{name}.toml"));
    assert_eq!(all.workflow, name);
    let taught = taught(name);
    assert!(taught.len() > 8, "{taught:?}");
    let ways: [(&str, Way<'_>); 6] = [
        (
            "a letter",
            Way {
                says: &|_, _| "x".to_owned(),
                meets: &|_| true,
            },
        ),
        (
            "one sentence",
            Way {
                says: &|_, _| "Everything is as it should be and nothing is missing".to_owned(),
                meets: &|gate| !gate.few,
            },
        ),
        (
            "Latin",
            Way {
                says: &|_, _| "Lorem ipsum dolor sit amet, consectetur adipiscing elit".to_owned(),
                meets: &|_| true,
            },
        ),
        (
            "keys",
            Way {
                says: &|_, _| "asdf jkl qwerty".to_owned(),
                meets: &|_| true,
            },
        ),
        (
            "its name",
            Way {
                says: &|name, _| name.to_owned(),
                meets: &|gate| !gate.unnamed,
            },
        ),
        (
            "the brief",
            Way {
                says: &|_, at| taught[at % taught.len()].clone(),
                meets: &|_| true,
            },
        ),
    ];
    let mut faults = Vec::new();
    let kinds: BTreeSet<&Vec<String>> = all.gate.iter().map(|gate| &gate.lays).collect();
    for (title, way) in &ways {
        for lays in &kinds {
            let gates: Vec<&Hollow> = all
                .gate
                .iter()
                .filter(|gate| gate.lays == **lays && (way.meets)(gate))
                .collect();
            let script: String = gates
                .iter()
                .map(|gate| {
                    let tries = [Some(&gate.bad), gate.mended.as_ref()];
                    let tries = tries.into_iter().flatten().zip(1..);
                    let attempt = |(what, nth): (&String, u32)| {
                        let what = said(what, way);
                        format!(
                            "[[attempt]]\nstate = \"{}\"\nattempt = {nth}\n{what}\n",
                            gate.state
                        )
                    };
                    tries.map(attempt).collect::<String>()
                })
                .collect();
            let play = Play {
                workflow: name.to_owned(),
                files: BTreeMap::new(),
                new: Vec::new(),
                unasked: false,
                lays: lays.to_vec(),
                script,
                instead: BTreeMap::new(),
                does: Vec::new(),
                ends: Ends {
                    state: "done".to_owned(),
                    waits: None,
                    refusal: None,
                    used: BTreeMap::new(),
                },
                not: None,
                sees: Vec::new(),
                acts: Vec::new(),
                unchanged: Vec::new(),
                holds: BTreeMap::new(),
                again: Vec::new(),
            };
            let stage = Stage::set(&play);
            // A report that does not meet the criteria leads on elsewhere; it is its gate that counts.
            let ended = if lays.is_empty() {
                play.faults_on(&stage)
            } else {
                stage.take(&Step::Run).err().into_iter().collect()
            };
            faults.extend(ended.into_iter().map(|fault| format!("{title}: {fault}")));
            let seen = Seen::of(&stage.world);
            for gate in gates {
                let failed = seen.failures(&gate.state);
                let passed = seen
                    .gates
                    .get(&gate.state)
                    .is_some_and(|all| all.contains(&Verdict::Passed));
                if failed != 1 || !passed {
                    let refusals = seen.refusals.join("\n  ");
                    faults.push(format!(
                        "{title}: the gate of {} failed {failed} times:\n  {refusals}",
                        gate.state
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Checks of what somebody writes, as `docs/checks.md` lists those that refuse a text which says nothing.
fn of_texts() -> BTreeSet<String> {
    let page = crate::play::data("../../../../docs/checks.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("**Texts that say nothing**").unwrap();
    let (list, _) = rest.split_once(')').unwrap();
    list.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// A gate that asks for a text and that nobody has tried with nothing is missed here. (`add` and `lights-out`
/// have theirs beside their documents.)
#[test]
fn every_gate_that_asks_for_a_text_is_tried_with_nothing() {
    let texts = of_texts();
    assert!(texts.len() > 15, "{texts:?}");
    for name in ["phase", "slice", "quick"] {
        let tried: BTreeSet<String> = match name {
            // What is handed in there is a change: that a test of nothing proves nothing, its gates say.
            "quick" => BTreeSet::new(),
            _ => {
                let all: Unsaid = read(&format!("hollow/{name}.toml"));
                all.gate.into_iter().map(|gate| gate.state).collect()
            }
        };
        let workflow = workflow(name);
        let mut missed = Vec::new();
        for (state, def) in &workflow.states {
            // Where nobody works, what is read was written, and judged, elsewhere.
            let works = def.role.is_some();
            let binding = def.gate.iter().filter(|spec| spec.weight.is_binding());
            let asks = binding
                .into_iter()
                .any(|spec| texts.contains(spec.check.as_str()));
            if works && (asks || !def.questions.is_empty()) && !tried.contains(state.as_str()) {
                missed.push(state.to_string());
            }
        }
        assert!(missed.is_empty(), "{name}: {missed:?}");
    }
}

#[test]
fn whoever_says_nothing_in_phase_is_refused_at_each_gate() {
    hollow("phase");
}

#[test]
fn whoever_says_nothing_in_slice_is_refused_at_each_gate() {
    hollow("slice");
}

macro_rules! of_each {
    ($($module:ident = $name:literal),*) => {$(
        mod $module {
            #[test]
            fn each_gate_fails_once() {
                super::once($name);
            }

            #[test]
            fn each_gate_fails_thrice() {
                super::thrice($name);
            }

            #[test]
            fn each_decision() {
                super::every_decision($name);
            }
        }
    )*};
}

of_each!(
    lights_out = "lights-out",
    slice = "slice",
    add = "add",
    phase = "phase",
    quick = "quick"
);

/// The tables are the workflows' own: what they hold is what is asked for.
#[test]
fn what_is_asked_for_is_what_the_workflow_has() {
    let add = workflow("add");
    assert_eq!(gates(&add).len(), 12);
    for word in [
        "verify: heal",
        "done: reopen_build",
        "approval: reject",
        "risk: lower",
    ] {
        assert!(decisions(&add).contains(word), "{word}");
    }
    let lights_out = workflow("lights-out");
    assert!(
        !gates(&lights_out).contains("ContextRecovering"),
        "it shows, and never fails"
    );
    assert_eq!(gates(&lights_out).len(), 16);
    let own = decisions(&lights_out);
    let transitions = own.iter().filter(|word| word.contains(": Resume")).count();
    assert_eq!(transitions, 7, "{own:?}");
}
