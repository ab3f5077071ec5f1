//! Rules F9.7 and F5.3: what each role is told and shown, and what it is not.

use super::{done, hear, planned, turn};
use crate::said;
use factory::debate::rubric::{ASSEMBLY, DECOMPOSITION, EVALUATION};
use factory::engineering::context::{BRIEFS, Scene, brief, module_folder, near_file, pack, sight};
use factory::engineering::debate::At;
use factory::engineering::kind::Kind;
use factory::engineering::roles::{Grant, INPUTS, Material, Occasion, Role, given};
use factory::engineering::work::Work;
use factory::project::{ModuleRef, TaskId};
use kernel::pack::Permission;
use serde_json::Value;
use std::collections::BTreeSet;

/// The table of rule F9.7, as people read it.
const DOCUMENT: &str = "\
| Task file (`task_id.md`) | ✅ FULL | ✗ | ✅ FULL |
| Module contract | ✅ FULL | ✅ FULL | ✅ FULL |
| Dependency contracts | ✅ CONTRACT_ONLY | ✅ CONTRACT_ONLY | ✗ |
| Code Index search results | ✅ | ✗ | ✗ |
| Harness schemas (artifact schemas, state schemas) | ✅ | ✗ | ✗ |
| Current module workspace (source, tests, config) | ✅ FULL access | ✗ | ✗ |
| Proposal artifact (claim + acceptance checks) | — (self) | ✅ FULL | ✅ FULL |
| Challenge artifact (verdict + failures) | ✗ (receives failures only during revise) | — (self) | ✅ FULL |
| Adjudication artifact | ✅ (only during APPROVE_WITH_AMENDMENTS) | ✗ | — (self) |
| Implementation source code | ✅ FULL (own module) | ✗ **Never** | ✗ **Never** |
| Evaluation rubric (§9.4) | ✗ | ✅ FULL | ✗ |
| Decomposition rubric (§10.4) | ✗ | ✅ FULL | ✗ |
| Full debate trail (all rounds) | ✗ | ✅ (all prior proposals + challenges) | ✅ (all proposals + challenges + adjudications) |";

#[test]
fn s9_7_the_table_of_inputs_is_the_documents() {
    let ours: Vec<String> = INPUTS
        .iter()
        .map(|(_, name, cells)| {
            let cells = cells.map(|cell| cell.in_document());
            format!("| {name} | {} |", cells.join(" | "))
        })
        .collect();
    assert_eq!(ours.join("\n"), DOCUMENT);
}

pub(super) fn scene_after(answers: &[Value]) -> Work {
    let mut work = planned(&[("MM-a", &["MM-up@1.0.0"])]);
    for answer in answers {
        hear(&mut work, done(answer.clone()));
    }
    work
}

/// A brief about the first module of a task, and nothing else.
pub(crate) fn plain<'a>(task: &'a TaskId, work: &'a Work, briefs: u32) -> Scene<'a> {
    Scene {
        task,
        work,
        module: Some(0),
        upstream: &[],
        criteria: &[],
        shows: &[],
        asked: &[],
        briefs,
        kind: Kind::Modules,
        promised: None,
        shipped: &[],
        again: &[],
        outdated: &[],
        rejected: &[],
    }
}

pub(super) fn told(
    work: &Work,
    role: Role,
    occasion: Occasion,
) -> (String, Vec<String>, Vec<String>) {
    let upstream = [ModuleRef::parse("MM-up@1.0.0").unwrap()];
    let task = TaskId::from("T-a-001");
    let scene = Scene {
        upstream: &upstream,
        ..plain(&task, work, BRIEFS)
    };
    let sight = sight(&scene, role, occasion);
    (brief(&scene, role, occasion), sight.sees, sight.scope)
}

#[test]
fn s9_7_the_challenger_never_sees_source_nor_the_task() {
    let work = scene_after(&[said::proposal()]);
    let (brief, sees, scope) = told(&work, Role::Challenger, Occasion::Challenge);
    assert!(brief.contains("it satisfies the contract"), "{brief}");
    for (id, name, _) in EVALUATION {
        assert!(brief.contains(&format!("- {id} {name}: ")), "{id}");
    }
    assert!(!brief.contains("project/**/"), "{brief}");
    let surfaces = |one: &String| one.starts_with("state_store/modules/MM-up/1.0.0/");
    assert!(sees.iter().all(surfaces) && sees.len() == 3, "{sees:?}");
    assert!(scope.is_empty());
}

#[test]
fn s9_7_the_proposer_sees_failures_only_to_revise_and_never_the_rubric() {
    let work = scene_after(&[said::proposal(), said::fail(&["R3"])]);
    assert_eq!(turn(&work), Some(At::Revise));
    let (brief, sees, scope) = told(&work, Role::Proposer, Occasion::Revise);
    assert!(brief.contains("refuse it with Empty"), "{brief}");
    assert!(
        !brief.contains("rubric") && !brief.contains("NOT_MET"),
        "{brief}"
    );
    // All of its module but the evidence of the ship.
    let own = "state_store/modules/MM-a/1.0.0";
    let but = ["ship.json", "seal.json"].map(|name| format!("!{own}/{name}"));
    assert_eq!(scope[0], format!("{own}/**"));
    assert_eq!(scope[1..], but);
    assert!(sees.contains(&"project/**/T-a-001.md".to_owned()));
    let (first, ..) = told(&work, Role::Proposer, Occasion::Propose);
    assert!(!first.contains("refuse it with Empty"), "{first}");
}

#[test]
fn s9_7_the_arbiter_sees_both_sides_and_the_task_but_no_dependencies() {
    let work = scene_after(&[said::proposal(), said::pass()]);
    let (brief, sees, scope) = told(&work, Role::Arbiter, Occasion::Adjudicate);
    assert!(brief.contains("it satisfies the contract") && brief.contains("slug_of_empty"));
    assert!(!brief.contains("MM-up") && !brief.contains("interface_change_exception"));
    assert_eq!(
        (sees, scope),
        (vec!["project/**/T-a-001.md".to_owned()], vec![])
    );
}

#[test]
fn s5_3_a_pack_names_everything_that_is_given_and_everything_that_is_not() {
    let work = scene_after(&[said::proposal()]);
    let task = TaskId::from("T-a-001");
    let upstream = [ModuleRef::parse("MM-up@1.0.0").unwrap()];
    for role in Role::DEBATERS {
        for occasion in [
            Occasion::Propose,
            Occasion::Revise,
            Occasion::Amend,
            Occasion::Challenge,
        ] {
            let scene = Scene {
                upstream: &upstream,
                ..plain(&task, &work, BRIEFS)
            };
            let pack = pack(&scene, role, occasion);
            let rows = pack.included_refs.len() + pack.excluded_refs.len();
            assert_eq!(rows, INPUTS.len(), "{role:?} {occasion:?}");
            let reasons = pack.excluded_refs.iter().all(|one| !one.reason.is_empty());
            assert!(reasons && pack.default_permission == Permission::ContractOnly);
        }
    }
    let up = given(Role::Proposer, Occasion::Propose);
    assert!(up.contains(&(Material::DependencyContracts, Grant::ContractOnly)));
}

#[test]
fn s5_3_a_view_shows_of_modules_what_the_pack_permits_and_nothing_else() {
    let work = scene_after(&[said::proposal()]);
    let task = TaskId::from("T-a-001");
    let upstream = ["MM-up@1.0.0", "MM-other@2.1.0"].map(|one| ModuleRef::parse(one).unwrap());
    let scene = Scene {
        upstream: &upstream,
        ..plain(&task, &work, BRIEFS)
    };
    let roles = Role::DEBATERS.into_iter().chain([Role::MicroPlanner]);
    let occasions = [
        Occasion::Propose,
        Occasion::Revise,
        Occasion::Amend,
        Occasion::Challenge,
        Occasion::Adjudicate,
    ];
    let mut levels = BTreeSet::new();
    for (role, occasion) in roles.flat_map(|role| occasions.map(|occasion| (role, occasion))) {
        let mut permitted = BTreeSet::new();
        for one in pack(&scene, role, occasion).included_refs {
            // A whole module, or the workspace in one; other parts are in the brief.
            let reference = one.reference.as_str();
            let named = match reference.strip_prefix("workspace.") {
                Some(named) => named,
                None if reference.starts_with("MM-") => reference,
                None if reference.starts_with("T-") => {
                    reference.split('@').next().unwrap_or_default()
                }
                // The planner finds what the engine searched for it; others have the tool alone.
                None if reference.starts_with("code_index") && role == Role::MicroPlanner => {
                    permitted.insert(near_file(&task));
                    continue;
                }
                None => continue,
            };
            match ModuleRef::parse(named) {
                Ok(module) => {
                    levels.insert(one.permission);
                    let globs = one.permission.module_globs().into_iter();
                    permitted
                        .extend(globs.map(|glob| format!("{}/{glob}", module_folder(&module))));
                }
                Err(_) => _ = permitted.insert(format!("project/**/{named}.md")),
            }
        }
        let mut sees: BTreeSet<String> = sight(&scene, role, occasion).sees.into_iter().collect();
        // Who calls others in code sees how they are called, which is no source of theirs.
        let called = sees.len();
        sees.retain(|one| !one.ends_with("/surface.md"));
        assert_eq!(role == Role::Proposer, sees.len() < called, "{role:?}");
        assert_eq!(sees, permitted, "{role:?} {occasion:?}");
    }
    // The table gives modules at these two levels, so both were looked at.
    assert_eq!(levels, [Permission::ContractOnly, Permission::Full].into());
}

#[test]
fn s6_8_nothing_that_was_said_is_printed_twice_and_only_open_decisions_are_offered() {
    let claim = "it satisfies the contract";
    let first = scene_after(&[said::proposal()]);
    let (brief, ..) = told(&first, Role::Challenger, Occasion::Challenge);
    assert_eq!(brief.matches(claim).count(), 1, "{brief}");
    assert!(brief.contains("Nothing was said before that."), "{brief}");
    let ruled = scene_after(&[said::proposal(), said::pass()]);
    let (brief, ..) = told(&ruled, Role::Arbiter, Occasion::Adjudicate);
    assert_eq!(brief.matches(claim).count(), 1, "{brief}");
    assert!(brief.contains("(APPROVE, APPROVE_WITH_AMENDMENTS or REJECT)"));
    // A second round: what was said in the first stands below, once.
    let again = scene_after(&[said::proposal(), said::fail(&["R3"]), said::proposal()]);
    let (brief, ..) = told(&again, Role::Challenger, Occasion::Challenge);
    assert_eq!(brief.matches(claim).count(), 2, "{brief}");
    assert!(brief.contains("refuse it with Empty"), "{brief}");
    let lost = scene_after(&[said::proposal(), said::fail(&["R3"])]);
    let (brief, ..) = told(&lost, Role::Arbiter, Occasion::Adjudicate);
    assert!(!brief.contains("(APPROVE, APPROVE_WITH"), "{brief}");
    assert!(brief.contains("(APPROVE_WITH_AMENDMENTS or REJECT: the challenge stands at FAIL)"));
}

#[test]
fn s10_4_whoever_plans_and_whoever_judges_is_told_the_rules_of_the_kind() {
    let work = scene_after(&[said::proposal()]);
    let task = TaskId::from("T-a-001");
    let told = |role, occasion, kind, briefs| {
        let scene = Scene {
            kind,
            ..plain(&task, &work, briefs)
        };
        brief(&scene, role, occasion)
    };
    let planner = |kind, briefs| told(Role::MicroPlanner, Occasion::Propose, kind, briefs);
    let plain = planner(Kind::Modules, BRIEFS);
    let front = planner(Kind::Assembly, BRIEFS);
    for line in DECOMPOSITION.iter().chain(&ASSEMBLY) {
        assert!(plain.contains(line) && front.contains(line), "{line}");
    }
    assert!(plain.contains("This task makes micro modules") && front.contains("plan one module"));
    let judge = |kind| told(Role::Challenger, Occasion::Challenge, kind, BRIEFS);
    assert!(!judge(Kind::Assembly).contains(DECOMPOSITION[1]));
    assert!(judge(Kind::Assembly).contains(ASSEMBLY[1]));
    assert!(!judge(Kind::Modules).contains(ASSEMBLY[1]));
    let builder = |kind| told(Role::Proposer, Occasion::Propose, kind, BRIEFS);
    assert!(builder(Kind::Assembly).contains("pub use mm_x::Name;"));
    assert!(!builder(Kind::Modules).contains("pub use mm_x::Name;"));
    // A project that began before is told what it was told.
    assert!(!planner(Kind::Modules, 2).contains(DECOMPOSITION[1]));
    let older = told(Role::Proposer, Occasion::Propose, Kind::Modules, 2);
    assert!(older.contains("Rust (`implementation/lib.rs`, the crate") && !older.contains("mjs"));
}

#[test]
fn a_challenger_is_told_what_the_task_must_show_and_nobody_else_is_by_this() {
    let work = scene_after(&[said::proposal()]);
    let task = TaskId::from("T-a-001");
    let shows = ["rejects an empty cart with EmptyCart".to_owned()];
    let told = |role, occasion, briefs| {
        let scene = Scene {
            shows: &shows,
            ..plain(&task, &work, briefs)
        };
        brief(&scene, role, occasion)
    };
    let challenge = |briefs| told(Role::Challenger, Occasion::Challenge, briefs);
    assert!(challenge(BRIEFS).contains(&shows[0]));
    // A project that began before is told what it was told; others have the task file, or no need of it.
    assert!(!challenge(4).contains(&shows[0]));
    for (role, occasion) in [
        (Role::Proposer, Occasion::Propose),
        (Role::Arbiter, Occasion::Adjudicate),
    ] {
        assert!(
            !told(role, occasion, BRIEFS).contains(&shows[0]),
            "{role:?}"
        );
    }
}

#[test]
fn challengers_and_arbiters_read_less_than_before() {
    let task = TaskId::from("T-a-001");
    let rounds = [said::proposal(), said::fail(&["R3"]), said::proposal()];
    for (role, occasion, more) in [
        (Role::Challenger, Occasion::Challenge, None),
        (Role::Arbiter, Occasion::Adjudicate, Some(said::pass())),
    ] {
        let all: Vec<Value> = rounds.iter().cloned().chain(more).collect();
        let work = scene_after(&all);
        let told = |briefs| {
            let scene = plain(&task, &work, briefs);
            brief(&scene, role, occasion)
        };
        let (first, before, after) = (told(1), told(2), told(BRIEFS));
        println!(
            "{role:?}: {} characters at first, {} before, {} now",
            first.len(),
            before.len(),
            after.len()
        );
        assert!(after.len() * 100 < before.len() * 90, "{after}");
        // The latest proposal stands there once, whoever reads it.
        let claim = all[2]["claim"].as_str().unwrap();
        let earlier = usize::from(all[0]["claim"] == all[2]["claim"]);
        assert_eq!(after.matches(claim).count(), 1 + earlier, "{after}");
    }
}

/// Everybody hears of the product and its language; who makes its front, what it must do.
#[test]
fn s9_7_the_product_and_its_language_are_told_and_its_cases_to_who_makes_its_front() {
    let promised: factory::delivery::promised::Promised = serde_json::from_value(serde_json::json!({
        "product": {
            "name": "shop", "form": "command", "language": "python", "entry": "TSK-002",
            "cases": [{"shows": ["STR-001"], "given": "2 x 3", "prints": "6"}],
        },
        "entry": "T-a-001", "title": "Shop", "about": "Adds up carts; in Python, says the person",
    }))
    .unwrap();
    let work = scene_after(&[]);
    let task = TaskId::from("T-a-001");
    let upstream = [ModuleRef::parse("MM-up@1.0.0").unwrap()];
    let told = |briefs, kind| {
        let scene = Scene {
            upstream: &upstream,
            kind,
            promised: Some(&promised),
            ..plain(&task, &work, briefs)
        };
        let sees = sight(&scene, Role::Proposer, Occasion::Propose).sees;
        (brief(&scene, Role::Proposer, Occasion::Propose), sees)
    };
    let (text, sees) = told(BRIEFS, Kind::Assembly);
    for part in [
        "says the person",
        "All of it is in Python",
        "One language, the product's, Python",
        "\"prints\":\"6\"",
        "`Name: message`",
        "surface.md",
        "CANNOT_SUPPORT",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(
        sees.iter()
            .any(|one| one.ends_with("MM-up/1.0.0/surface.md")),
        "{sees:?}"
    );
    let (text, _) = told(BRIEFS, Kind::Modules);
    assert!(text.contains("All of it is in Python") && !text.contains("\"prints\""));
    // A project goes on with the briefs that it began with.
    let (text, sees) = told(5, Kind::Assembly);
    assert!(
        !text.contains("Python, says") && !text.contains("surface.md"),
        "{text}"
    );
    assert!(!sees.iter().any(|one| one.ends_with("surface.md")));
}

/// Names of a library are given by its cases: whoever makes one of its modules hears them, and who makes its
/// front the cases, without what only a command has.
#[test]
fn s9_7_who_makes_a_library_is_told_what_its_names_are_called() {
    let promised: factory::delivery::promised::Promised = serde_json::from_value(serde_json::json!({
        "product": {
            "name": "shop", "form": "library", "language": "python", "entry": "TSK-002",
            "cases": [{
                "shows": ["STR-001"], "steps": [{"call": "total", "with": ["2 x 3"]}, {"call": ".name"}],
                "holds": [{"of": 0, "is": "equals", "value": 6}],
            }],
        },
        "entry": "T-a-001", "title": "Shop", "about": "Adds up carts",
    }))
    .unwrap();
    let work = scene_after(&[]);
    let task = TaskId::from("T-a-001");
    let told = |kind| {
        let scene = Scene {
            kind,
            promised: Some(&promised),
            ..plain(&task, &work, BRIEFS)
        };
        brief(&scene, Role::Proposer, Occasion::Propose)
    };
    let names = "Its cases call `total`: names that stand at its top";
    let (front, other) = (told(Kind::Assembly), told(Kind::Modules));
    assert!(front.contains(names) && other.contains(names), "{other}");
    let case = "\"call\":\"total\"";
    assert!(front.contains(case) && !other.contains(case), "{front}");
    assert!(
        !front.contains("\"given\"") && !front.contains("`Name: message`"),
        "{front}"
    );
}
