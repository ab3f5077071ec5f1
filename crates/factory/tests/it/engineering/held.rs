//! What a plan is held to since the form 6: it answers its task, its modules have names of their own,
//! and its words are what people see.

use super::done;
use crate::said;
use factory::engineering::asked::{Asked, asked};
use factory::engineering::debate::{At, Debate, Said};
use factory::engineering::kind::HOLDS;
use factory::engineering::reuse::Offered;
use factory::engineering::work::{Step, Surroundings, Work};
use factory::micro_plan::{Misplan, PlannedModule};
use factory::project::{ModuleId, ModuleRef, Version};
use factory::readable::alike;
use factory::spec::IoContractSketch;
use kernel::Time;
use serde_json::{Value, json};

/// A task that asks for something, beside a module that is shipped.
struct Asking;

impl Surroundings for Asking {
    fn upstream(&self, _: &Work, _: usize) -> Vec<ModuleRef> {
        Vec::new()
    }
    fn next_version(&self, _: &PlannedModule) -> Version {
        Version::FIRST
    }
    fn offered(&self, reference: &ModuleRef) -> Offered {
        // The shipped one refuses nothing but long texts.
        let mut contract = said::contract();
        contract["inputs"] = json!(["text: &str"]);
        contract["outputs"] = json!(["slug: String; no blanks; lower case"]);
        contract["error_surfaces"] = json!(["Empty: the text is empty"]);
        match reference.to_string().as_str() {
            "MM-total@1.0.0" => Offered::Module(serde_json::from_value(contract).unwrap()),
            _ => Offered::Nothing,
        }
    }
    fn briefs(&self) -> u32 {
        HOLDS
    }
    fn namesake(&self, id: &ModuleId) -> Option<ModuleId> {
        alike(id.as_str(), "MM-total").then(|| ModuleId::from("MM-total"))
    }
    fn asked(&self) -> Vec<Asked> {
        let criteria = ["returns a slug".to_owned(), "rejects a blank".to_owned()];
        let sketch = IoContractSketch {
            inputs: "text: a title".to_owned(),
            outputs: "slug: lower case".to_owned(),
            error_surfaces: "Empty for a blank".to_owned(),
            effects: "none".to_owned(),
            modes: "sync".to_owned(),
        };
        asked(&criteria, Some(&sketch), HOLDS)
    }
}

/// A plan that answers all of it.
fn plan() -> Value {
    let mut plan = said::plan(&[("MM-slug", &[])]);
    plan["modules"][0]["io_contract"]["inputs"] = json!(["text: &str; not empty"]);
    plan["modules"][0]["io_contract"]["outputs"] = json!(["slug: String; lower case"]);
    let all = [
        ("criterion-1", "output__slug__1"),
        ("criterion-2", "error__empty"),
        ("input-1", "input__text"),
        ("output-1", "output__slug__1"),
        ("error-1", "error__empty"),
    ];
    let all = all.map(|(asked, clause)| json!({"asked": asked, "clause": clause}));
    plan["modules"][0]["answers"] = json!(all);
    plan
}

fn found(change: impl Fn(&mut Value)) -> Vec<(&'static str, String)> {
    let mut plan = plan();
    change(&mut plan["modules"]);
    let work = Work {
        answer: Some(done(plan)),
        ..Work::default()
    };
    match work.next(&Asking, Time(0)) {
        Some(Step::PlanLocked(_)) => Vec::new(),
        Some(Step::PlanRefused(faults)) => faults
            .iter()
            .map(|one| (one.code.map_or("", Misplan::as_str), one.path.clone()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn codes(change: impl Fn(&mut Value)) -> Vec<&'static str> {
    found(change).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn s10_1_a_plan_answers_every_point_of_its_task_by_a_clause_that_can() {
    assert_eq!(codes(|_| {}), [""; 0]);
    // Left out altogether: each point is named.
    assert_eq!(
        codes(|modules| modules[0]["answers"] = json!([])),
        ["task_unanswered"; 5]
    );
    let without = |at: usize| {
        codes(move |modules| {
            modules[0]["answers"].as_array_mut().unwrap().remove(at);
        })
    };
    for at in 0..5 {
        assert_eq!(without(at), ["task_unanswered"], "{at}");
    }
    let cites = |at: usize, clause: &'static str| {
        codes(move |modules| modules[0]["answers"][at]["clause"] = json!(clause))
    };
    // What every module shows, what the contract has not, and what cannot answer it.
    assert_eq!(
        cites(0, "happy_path"),
        ["clause_unknown", "task_unanswered"]
    );
    assert_eq!(
        cites(0, "output__slug__2"),
        ["clause_unknown", "task_unanswered"]
    );
    assert_eq!(cites(0, "input__text"), ["clause_unfit", "task_unanswered"]);
    assert_eq!(
        cites(4, "output__slug__1"),
        ["clause_unfit", "task_unanswered"]
    );
    assert_eq!(
        cites(3, "error__empty"),
        ["clause_unfit", "task_unanswered"]
    );
    // An input may be answered by its constraint or by the error that it leads to.
    assert_eq!(cites(2, "input__text__1"), [""; 0]);
    assert_eq!(cites(2, "error__empty"), [""; 0]);
    assert_eq!(
        found(|modules| modules[0]["answers"][0]["asked"] = json!("criterion-9")),
        [("task_unanswered", "modules".to_owned())]
    );
}

#[test]
fn one_clause_may_answer_several_points_and_only_the_challenger_weighs_it() {
    let all = ["criterion-1", "criterion-2", "input-1", "error-1"];
    let mut all: Vec<Value> = all
        .iter()
        .map(|asked| json!({"asked": asked, "clause": "error__empty"}))
        .collect();
    all.push(json!({"asked": "output-1", "clause": "output__slug__1"}));
    assert_eq!(codes(|modules| modules[0]["answers"] = json!(all)), [""; 0]);
}

#[test]
fn s10_1_what_is_reused_answers_by_its_shipped_contract() {
    let reuse = |modules: &mut Value| {
        modules[0]["reuse_decision"] = json!("REUSE");
        modules[0]["reuse_candidate_refs"] = json!(["MM-total@1.0.0"]);
        modules[0]["io_contract"]["inputs"] = json!(["text: &str"]);
    };
    // The need's first invariant is the second one there.
    let cites = |clause: &'static str| {
        codes(move |modules| {
            reuse(modules);
            modules[0]["answers"][3]["clause"] = json!(clause);
        })
    };
    assert_eq!(cites("output__slug__2"), [""; 0]);
    assert_eq!(
        cites("output__slug__3"),
        ["clause_unknown", "task_unanswered"]
    );
    // Without the table it is no answer to the task.
    assert_eq!(
        codes(|modules| {
            reuse(modules);
            modules[0]["answers"] = json!([]);
        }),
        ["task_unanswered"; 5]
    );
    // A clause that only the need has is none of the module's.
    assert_eq!(
        codes(|modules| {
            reuse(modules);
            modules[0]["io_contract"]["inputs"] = json!(["text: &str; not empty"]);
            modules[0]["answers"][2]["clause"] = json!("input__text__1");
        }),
        ["clause_unknown", "task_unanswered"]
    );
}

#[test]
fn s10_1_a_new_module_has_a_name_that_nobody_takes_for_anothers() {
    let named = |id: &'static str| codes(move |modules| modules[0]["module_id"] = json!(id));
    assert_eq!(named("MM-total"), ["module_id_taken"]);
    for id in ["MM-Total", "MM-tota1", "MM-t0tal", "MM-TOTAL"] {
        assert_eq!(named(id), ["module_id_alike"], "{id}");
    }
    for id in ["MM-totals", "MM-subtotal", "MM-total-2"] {
        assert_eq!(named(id), [""; 0], "{id}");
    }
    // Nor beside each other, as one package.
    assert_eq!(
        codes(|modules| {
            let mut twin = modules[0].clone();
            twin["module_id"] = json!("MM-SLUG");
            modules.as_array_mut().unwrap().push(twin);
        }),
        ["module_id_alike"]
    );
    assert_eq!(
        codes(|modules| modules[0]["depends_on"] = json!(["MM-tota1@1.0.0"])),
        ["dependency_missing"]
    );
    assert_eq!(
        codes(|modules| modules[0]["depends_on"] = json!(["MM-total@1.0.0"])),
        [""; 0]
    );
}

#[test]
fn s10_1_the_words_of_a_plan_are_what_people_see() {
    let purpose = |text: &'static str| {
        found(move |modules| modules[0]["purpose"] = json!(text))
            .into_iter()
            .map(|(code, path)| format!("{code} {path}"))
            .collect::<Vec<_>>()
    };
    for text in [
        "makes \u{200b}slugs",
        "makes \u{202e}sguls",
        "makes slug\u{455}",
        "\u{ff34}\u{ff22}\u{ff24}",
    ] {
        assert_eq!(purpose(text), ["plan_unreadable modules[0].purpose"]);
    }
    for text in [
        "делает слаг из заголовка",
        "見出しからスラッグを作る",
        "makes a slug of José's 👩\u{200d}💻 title",
    ] {
        assert_eq!(purpose(text), [""; 0]);
    }
}

#[test]
fn s9_5_one_sentence_under_three_criteria_is_evidence_for_none() {
    let debate = Debate {
        at: At::Challenge,
        ..Debate::default()
    };
    let heard = |evidence: &dyn Fn(usize) -> Option<String>, briefs: u32| {
        let mut challenge = said::pass();
        for (at, mark) in challenge["rubric_assessments"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .enumerate()
        {
            if let Some(text) = evidence(at) {
                mark["evidence"] = json!(text);
            }
        }
        match debate.hear(&challenge, At::Try, briefs).said {
            Said::Complained(faults) => faults,
            Said::Challenged { .. } => Vec::new(),
            other => panic!("{other:?}"),
        }
    };
    let all = "inputs, outputs, errors, effects and modes hold by happy_path in tests/slug.rs";
    let everywhere = heard(&|_| Some(all.to_owned()), HOLDS);
    assert_eq!(everywhere.len(), 6, "{everywhere:?}");
    assert!(
        everywhere[0].contains("R2, R3, R4, R5, R6"),
        "{everywhere:?}"
    );
    // A number or a name makes no other sentence of it, nor does another order of two.
    let numbered = heard(&|at| Some(format!("{all} for R{}", at + 1)), HOLDS);
    assert_eq!(numbered.len(), 6, "{numbered:?}");
    let two = ["slug_of_empty in tests/slug.rs refuses blanks", all];
    let turned = |at: usize| match at % 2 {
        0 => Some(format!("{}. {}", two[0], two[1])),
        _ => Some(format!("{}. {}", two[1], two[0])),
    };
    assert_eq!(heard(&turned, HOLDS).len(), 6);
    // Projects of before go on as they began.
    assert_eq!(heard(&|_| Some(all.to_owned()), HOLDS - 1), [""; 0]);
    // One test may well show two things, and a sentence may be said again beside one's own.
    let shared = "slug_of_empty in tests/slug.rs refuses blanks";
    let twice = |at: usize| matches!(at, 1 | 2).then(|| shared.to_owned());
    assert_eq!(heard(&twice, HOLDS), [""; 0]);
    let own = [
        "inputs, outputs, errors, effects, modes: t1 to t5",
        "input__text__1 and output__slug__1 are there",
        "Empty is returned for blanks only",
        "it uses no other module at all",
        "criterion two is asserted in error__empty",
        "one sentence describes its single behaviour",
    ];
    let beside = |at: usize| Some(format!("{shared}. {}", own[at]));
    assert_eq!(heard(&beside, HOLDS), [""; 0]);
    assert_eq!(heard(&|_| None, HOLDS), [""; 0]);
}
