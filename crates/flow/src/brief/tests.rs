//! Every brief is true of its role: over all built-in workflows and all states in which somebody works, it
//! names no tool, no folder and no action that the role's capabilities do not give.

use super::compile;
use crate::machine::FlowState;
use crate::workflow::{Role, Workflow};
use kernel::StateName;
use kernel::effect::Capability;

/// Everything in backticks that begins with this.
fn named<'b>(brief: &'b str, begins: &str) -> Vec<&'b str> {
    let quoted = brief.split('`').skip(1).step_by(2);
    quoted.filter(|one| one.starts_with(begins)).collect()
}

fn is_in(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| match glob.split_once('*') {
        Some((begins, _)) => path.starts_with(begins),
        None => path == glob,
    })
}

/// What a brief says that is not so for its role.
fn untrue(role: &Role, brief: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let may = |capability: Capability| role.can.contains(&capability);
    // Only what the role is told to do: what a gate runs is no matter of its capabilities.
    let sentences = brief.split(['.', ':', '\n']);
    let told = sentences.map(|one| one.trim().trim_start_matches("- "));
    for sentence in told {
        let begins = |words: &[&str]| words.iter().any(|word| sentence.starts_with(word));
        if !may(Capability::Execute) && begins(&["Run ", "Execute ", "Compile", "Build and run"]) {
            wrong.push(format!("cannot execute: {sentence}"));
        }
        if !may(Capability::Edit) && begins(&["Write `repo/", "Edit ", "Fix ", "Implement "]) {
            wrong.push(format!("cannot edit: {sentence}"));
        }
        let bound = role
            .sight
            .scope
            .iter()
            .any(|glob| glob.starts_with("task/"));
        if let Some(rest) = sentence.strip_prefix("Write `task/") {
            let path = format!("task/{}", rest.split('`').next().unwrap_or_default());
            // A sentence ends at the dot of a file's name.
            let mut scope = role.sight.scope.iter();
            if bound && !scope.any(|glob| glob.starts_with(path.trim_end_matches('*'))) {
                wrong.push(format!("may not write {path}"));
            }
        }
    }
    if !may(Capability::Edit) && brief.contains("for you to edit") {
        wrong.push("is told to edit".to_owned());
    }
    let hidden = named(brief, "task/").into_iter();
    let hidden = hidden.filter(|path| is_in(&role.sight.hidden, path));
    wrong.extend(hidden.map(|path| format!("does not see {path}")));
    if role.sight.sees.is_empty() {
        let code = named(brief, "repo/").into_iter();
        let code = code.filter(|path| *path != "repo/");
        wrong.extend(code.map(|path| format!("sees no code: {path}")));
        if brief.contains("to be read: do NOT edit") {
            wrong.push("is told to read code that is not there".to_owned());
        }
    }
    // Nobody has our own commands in a view.
    let ours = named(brief, "proofhouse ").into_iter();
    wrong.extend(ours.map(|command| format!("cannot call {command}")));
    wrong
}

fn briefs(workflow: &Workflow, slot: Option<&str>) -> Vec<(StateName, String, String)> {
    let mut briefs = Vec::new();
    for (state, def) in &workflow.states {
        let Some(role) = &def.role else { continue };
        let mut run = FlowState::blank(workflow);
        run.position.state = state.clone();
        run.position.slot = slot.map(StateName::from);
        briefs.push((state.clone(), role.clone(), compile(workflow, &run)));
    }
    briefs
}

fn built_in() -> impl Iterator<Item = Workflow> {
    crate::built_in_names().map(|name| {
        let source = crate::built_in(name).expect("it is listed");
        crate::load(&source, &|_, _| Ok(())).unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
    })
}

#[test]
fn every_brief_is_true_of_its_role() {
    let mut wrong = Vec::new();
    for workflow in built_in() {
        for slot in [None, Some("exam")] {
            for (state, role, brief) in briefs(&workflow, slot) {
                let found = untrue(&workflow.roles[&role], &brief);
                let name = &workflow.name;
                wrong.extend(
                    found
                        .into_iter()
                        .map(|one| format!("{name} {state}: {one}")),
                );
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_true_is_noticed() {
    let workflow = built_in()
        .find(|one| one.name == "slice")
        .expect("it is one");
    let role = |name: &str| &workflow.roles[name];
    for (name, brief) in [
        ("scout", "- Run the tests."),
        ("consolidator", "Look at `repo/src/lib.rs`."),
        ("consolidator", "Read `task/plan.md`."),
        ("planner", "Write `task/STATE.md` anew"),
        ("verifier", "Fix what is wrong."),
        ("coder", "`proofhouse diff` shows it"),
    ] {
        assert!(!untrue(role(name), brief).is_empty(), "{name}: {brief}");
    }
    for (name, brief) in [
        ("coder", "- Run the tests. Fix what is wrong."),
        ("planner", "Write `task/plan.md`: a list"),
        (
            "scout",
            "Look at `repo/src/lib.rs`. The engine runs the tests.",
        ),
    ] {
        assert_eq!(
            untrue(role(name), brief),
            Vec::<String>::new(),
            "{name}: {brief}"
        );
    }
}

/// What is about an exam is told once a case of one was, and to nobody else.
#[test]
fn a_paragraph_for_one_way_back_is_told_on_that_way_alone() {
    for workflow in built_in() {
        let told = |slot| {
            let all = briefs(&workflow, slot).into_iter();
            all.filter(|(_, _, brief)| brief.contains("there are more cases"))
                .count()
        };
        assert_eq!(told(None), 0, "{}", workflow.name);
        assert!(told(Some("exam")) > 0, "{}", workflow.name);
        for (_, _, brief) in briefs(&workflow, Some("exam")) {
            assert!(!brief.contains("{return"), "{brief}");
        }
    }
}

/// What a result may hold besides is told to everybody: in the brief, or in a file that it names.
#[test]
fn the_forms_of_an_objection_are_told_to_everybody() {
    for workflow in built_in() {
        for (state, role, brief) in briefs(&workflow, None) {
            let mut run = FlowState::blank(&workflow);
            run.position.state = state.clone();
            let beside = super::papers(&workflow, &run);
            let own = workflow.roles[&role].result.is_some();
            let told = brief.contains("concurrency|architecture");
            let named = brief.contains("`result.md`")
                && beside.get("result.md").is_some_and(|text| {
                    text.contains("concurrency|architecture") && text.contains("`settled`")
                });
            assert!(own || told || named, "{} {state}: {brief}", workflow.name);
            assert!(
                brief.contains("\"impossible\""),
                "{} {state}",
                workflow.name
            );
        }
    }
}

fn named_workflow(name: &str) -> Workflow {
    built_in().find(|one| one.name == name).expect("it is one")
}

#[test]
fn an_examiner_is_shown_a_whole_exam_and_what_asks_a_person() {
    let workflow = named_workflow("quick");
    let briefs = briefs(&workflow, None);
    let (_, _, brief) = briefs
        .iter()
        .find(|(state, ..)| state.as_str() == "examine")
        .expect("quick has an exam");
    let (_, example) = brief.split_once("```json\n").expect("an example");
    let (example, _) = example.split_once("\n```").expect("its end");
    let example: serde_json::Value = serde_json::from_str(example).expect("it is JSON");
    let exam = kernel::exam::Exam::read(&example["exam"]);
    assert!(exam.is_ok(), "{exam:?}");
    assert!(brief.contains("`no_exam` (a person decides)"), "{brief}");
}

#[test]
fn what_nobody_said_is_not_told_and_who_looks_again_hears_what_they_found() {
    let workflow = named_workflow("phase");
    let mut run = FlowState::blank(&workflow);
    run.position.state = StateName::from("verify");
    let given = "None were given.";
    run.fields
        .insert("Reality constraints".to_owned(), given.to_owned());
    run.fields
        .insert("Not doing".to_owned(), "taxes".to_owned());
    let found = |state: &str| (StateName::from(state), format!("a remark in {state}"));
    run.findings.remarks = vec![found("verify"), found("review")];
    let brief = compile(&workflow, &run);
    assert!(!brief.contains(given), "{brief}");
    assert!(brief.contains("Not doing: taxes"), "{brief}");
    let (_, own) = brief.split_once("## Found here before").expect("its own");
    let (own, others) = own.split_once("## Found, and left").expect("others");
    assert!(own.contains("a remark in verify") && !own.contains("a remark in review"));
    assert!(others.contains("a remark in review"), "{others}");
}
