//! What surrounds each state of a workflow file: role, brief, gate, limits.

use super::{CheckLint, Loader};
use crate::raw::{RawCheck, RawQuestion, RawState, RawWorkflow};
use crate::workflow::{Each, Question, StateDef};
use kernel::duration::parse_millis;
use kernel::effect::Weight;
use kernel::table::Kind;
use kernel::{CheckSpec, StateName, Word};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The check that reads a role's answers.
const QUESTIONS: &str = "questions";

const DEFAULT_WALL_MILLIS: u64 = 30 * 60_000;

pub(super) fn state_def(
    loader: &mut Loader<'_>,
    at: usize,
    name: &str,
    state: &RawState,
    raw: &RawWorkflow,
    lint_check: &CheckLint<'_>,
) -> StateDef {
    let works = state.kind == Kind::Work;
    match &state.role {
        Some(role) if !raw.role.contains_key(role) => loader.problem(
            "unknown_role",
            at,
            format!("state `{name}` names the role `{role}`, which is not defined"),
            "add `[role.NAME]` with `can` and `about`, or correct the name",
        ),
        None if works => loader.problem(
            "missing_role",
            at,
            format!("state `{name}` is a work state without a role"),
            "add `role = \"...\"`",
        ),
        Some(_) if !works => loader.problem(
            "needless_role",
            at,
            format!("state `{name}` is no work state, and has a role"),
            "remove `role`, or make it `kind = \"work\"`",
        ),
        _ => {}
    }
    if works && state.brief.is_none() {
        let what = format!("state `{name}` is a work state without a brief");
        loader.problem(
            "missing_brief",
            at,
            what,
            "add `brief = \"briefs/NAME.md\"`",
        );
    }
    if state.done && state.kind != Kind::Rest {
        loader.problem(
            "needless_done",
            at,
            format!("state `{name}` is no rest state, and says `done`"),
            "remove `done`, or make it `kind = \"rest\"`",
        );
    }
    let judged = !state.gate.is_empty() || !state.questions.is_empty();
    if state.asks_again && (!works || !judged) {
        loader.problem(
            "needless_asks_again",
            at,
            format!("state `{name}` says `asks_again`, and hands in nothing that a gate judges"),
            "remove `asks_again`, or make it a `work` state with a gate",
        );
    }
    if state.gate_first && (!works || state.gate.is_empty()) {
        loader.problem(
            "needless_gate_first",
            at,
            format!(
                "state `{name}` says `gate_first`, and has no agent whose work its gate could spare"
            ),
            "remove `gate_first`, or make it a `work` state with a gate",
        );
    }
    if state.goes_on.is_some() && (!works || state.gate.is_empty()) {
        loader.problem(
            "needless_goes_on",
            at,
            format!("state `{name}` says `goes_on`, and has no agent whose work a gate could part"),
            "remove `goes_on`, or make it a `work` state with a gate",
        );
    }
    if state.unpaid && state.kind != Kind::Gate {
        loader.problem(
            "needless_unpaid",
            at,
            format!("state `{name}` is no gate, and says `unpaid`"),
            "remove `unpaid`: only where nobody works nothing is spent",
        );
    }
    if state.passes == Some(0) {
        let what = format!("state `{name}` has `passes = 0`");
        loader.problem("bad_passes", at, what, "allow at least one pass");
    }
    let brief = match &state.brief {
        Some(path) => loader.file(at, path),
        None => String::new(),
    };
    let wall_millis = match &state.wall {
        None => DEFAULT_WALL_MILLIS,
        Some(text) => parse_millis(text).unwrap_or_else(|| {
            let what = format!("state `{name}`: `{text}` is not a duration");
            loader.problem(
                "bad_duration",
                at,
                what,
                "write a whole number and a unit: 90s, 20m, 2h",
            );
            DEFAULT_WALL_MILLIS
        }),
    };
    let mut gate = Vec::new();
    for check in &state.gate {
        match check_spec(check) {
            Some(spec) => {
                if let Err(why) = lint_check(&spec.check, &spec.with) {
                    let what = format!("state `{name}`, gate: {why}");
                    loader.problem(
                        "unknown_check",
                        at,
                        what,
                        "correct the check's name or settings; docs/checks.md lists them",
                    );
                }
                // Whatever the check: a setting of this name names a role.
                if let Some(role) = spec.with["role"].as_str()
                    && !raw.role.contains_key(role)
                {
                    loader.problem(
                        "unknown_role",
                        at,
                        format!("state `{name}`, gate: `{}` names the role `{role}`, which is not defined", spec.check),
                        "add `[role.NAME]` with `can` and `about`, or correct the name",
                    );
                }
                gate.push(spec);
            }
            None => {
                let what = format!(
                    "state `{name}`: a gate entry has no `check`, or its `shows` or `code` is no word, or its `advisory` is not true or false"
                );
                loader.problem(
                    "malformed_gate",
                    at,
                    what,
                    "write \"NAME\" or { check = \"NAME\", shows = \"WORD\", advisory = true, .. }",
                );
            }
        }
    }
    let questions: Vec<Question> = state.questions.iter().map(question).collect();
    if !questions.is_empty() && !works {
        loader.problem(
            "needless_questions",
            at,
            format!("state `{name}` asks questions, and no role works there to answer them"),
            "remove `questions`, or make it a `work` state",
        );
    }
    if let Some(role) = state.role.as_ref().filter(|_| !questions.is_empty()) {
        for question in questions.iter().filter(|one| one.unless.is_some()) {
            let word = question.unless.as_deref().unwrap_or_default();
            let shown =
                |spec: &CheckSpec| spec.shows.as_ref().is_some_and(|one| one.as_str() == word);
            if !gate.iter().any(shown) {
                let id = &question.id;
                let what =
                    format!("state `{name}`, question `{id}`: no check of its gate shows `{word}`");
                let mend =
                    "give the check that finds it out `shows = \"WORD\"`, or remove `unless`";
                loader.problem("unknown_word", at, what, mend);
            }
        }
        let whole = read(role, &questions.iter().collect::<Vec<_>>());
        if let Err(why) = lint_check(&whole.check, &whole.with) {
            let what = format!("state `{name}`, questions: {why}");
            let mend = "give each an `id` of its own and `asks`; docs/workflows.md shows how";
            loader.problem("unknown_check", at, what, mend);
        }
        gate.extend(answers(role, &questions));
    }
    StateDef {
        role: state.role.clone(),
        brief,
        gate,
        questions,
        wall_millis,
        about: state.about.clone().unwrap_or_default(),
        tells: state.tells.clone(),
        checklist: state.checklist.clone(),
        done: state.done,
        settles: state
            .settles
            .list()
            .into_iter()
            .map(StateName::new)
            .collect(),
        gate_first: state.gate_first,
        asks_again: state.asks_again,
        goes_on: state.goes_on.as_deref().map(Word::from),
        unpaid: state.unpaid,
        compares: state.compares.as_deref().map(StateName::new),
    }
}

fn question(raw: &RawQuestion) -> Question {
    Question {
        id: raw.id.clone(),
        asks: raw.asks.clone(),
        answers: raw.answers.clone(),
        each: raw.each.as_ref().map(|each| Each {
            pattern: each.pattern.clone(),
            file: each.file.clone(),
            section: each.section.clone(),
        }),
        unless: raw.unless.clone(),
    }
}

/// What reads the answers to them: those that are always asked, and those that wait for the same word.
fn answers(role: &str, questions: &[Question]) -> Vec<CheckSpec> {
    let words: BTreeSet<Option<&str>> = questions.iter().map(|one| one.unless.as_deref()).collect();
    let read = |unless: Option<&str>| {
        let (asked, beside): (Vec<&Question>, Vec<&Question>) = questions
            .iter()
            .partition(|one| one.unless.as_deref() == unless);
        let mut spec = read(role, &asked);
        if let Some(word) = unless {
            // One sentence is no evidence of two things, wherever each is asked.
            let beside: Vec<&str> = beside.iter().map(|one| one.id.as_str()).collect();
            if !beside.is_empty() {
                spec.with["beside"] = json!(beside);
            }
            spec.with["when"] = json!({ "unless": word });
        }
        spec
    };
    words.into_iter().map(read).collect()
}

fn read(role: &str, questions: &[&Question]) -> CheckSpec {
    let put = |one: &Question| {
        let mut put = json!({ "id": one.id, "asks": one.asks, "answers": one.answers });
        if let Some(each) = &one.each {
            put["each"] = json!({ "pattern": each.pattern, "file": each.file });
            if let Some(section) = &each.section {
                put["each"]["section"] = json!(section);
            }
        }
        put
    };
    let put: Vec<Value> = questions.iter().map(|one| put(one)).collect();
    CheckSpec {
        check: QUESTIONS.to_owned(),
        with: json!({ "by": role, "ask": put }),
        weight: Weight::Binding,
        shows: None,
        code: None,
    }
}

fn check_spec(raw: &RawCheck) -> Option<CheckSpec> {
    match raw {
        RawCheck::Name(name) => Some(CheckSpec {
            check: name.clone(),
            with: Value::Null,
            weight: Weight::Binding,
            shows: None,
            code: None,
        }),
        RawCheck::Settings(settings) => {
            let mut rest = settings.clone();
            let check = rest.remove("check")?.as_str()?.to_owned();
            let shows = match rest.remove("shows") {
                None => None,
                Some(word) => Some(Word::from(word.as_str()?)),
            };
            let code = match rest.remove("code") {
                None => None,
                Some(code) => Some(code.as_str()?.to_owned()),
            };
            let weight = match rest.remove("advisory") {
                None | Some(Value::Bool(false)) => Weight::Binding,
                Some(Value::Bool(true)) => Weight::Advisory,
                Some(_) => return None,
            };
            Some(CheckSpec {
                check,
                with: Value::Object(rest.into_iter().collect()),
                weight,
                shows,
                code,
            })
        }
    }
}
