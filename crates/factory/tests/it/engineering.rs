//! Sections 3.4, 9, 10 and 11: plan, debate, ship.

use crate::said;
use factory::engineering::artifacts::{ChallengeVerdict, adjudication};
use factory::engineering::context::{Scene, brief, module_folder, pack, sight};
use factory::engineering::debate::{At, Debate, Judge, Move, Now, Said};
use factory::engineering::plan::{self, judge};
use factory::engineering::reuse::Offered;
use factory::engineering::roles::{Grant, INPUTS, Material, Occasion, Role, given};
use factory::engineering::rubric::EVALUATION;
use factory::engineering::ship::{STEPS, ShipStep};
use factory::engineering::work::{Answer, End, Fate, Step, Surroundings, Want, Work};
use factory::project::{ModuleRef, TaskId, Version};
use kernel::pack::Permission;
use kernel::{CheckResult, Class, EffectId, Outcome, Time, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The table of section 9.7, as the document prints it.
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

struct Nothing;

impl Surroundings for Nothing {
    fn upstream(&self, _: &Work, _: usize) -> Vec<ModuleRef> {
        vec![ModuleRef::parse("MM-up@1.0.0").unwrap()]
    }
    fn next_version(&self, _: &plan::PlanModule) -> Version {
        Version::FIRST
    }
    fn offered(&self, reference: &ModuleRef) -> Offered {
        match reference.to_string().as_str() {
            "MM-old@2.1.0" => Offered::Module(serde_json::from_value(said::contract()).unwrap()),
            "MM-bare@1.0.0" => Offered::Unlocked,
            _ => Offered::Nothing,
        }
    }
}

pub(crate) fn done(result: Value) -> Answer {
    let mut outcome = Outcome::bare(Class::Done, "done");
    outcome.result = Some(result);
    Answer::Attempt(EffectId(1), Box::new(outcome))
}

fn checked(verdict: Verdict) -> Answer {
    Answer::Gate(vec![CheckResult::new("scripted", verdict, "as scripted")])
}

/// Takes every step that follows from the state alone.
fn settle(work: &mut Work) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(step) = work.next(&Nothing, Time(0)) {
        work.take(&step);
        steps.push(step);
    }
    steps
}

pub(crate) fn hear(work: &mut Work, answer: Answer) -> Vec<Step> {
    assert!(work.want().is_some(), "nobody was asked");
    work.answer = Some(answer);
    settle(work)
}

/// A loop whose plan is locked.
fn planned(modules: &[(&str, &[&str])]) -> Work {
    let mut work = Work::default();
    hear(&mut work, done(said::plan(modules)));
    work
}

/// Lets the active module ship without trouble.
fn ship(work: &mut Work) {
    for answer in [said::proposal(), said::pass(), said::approve()] {
        hear(work, done(answer));
    }
    while let Some(At::Ship(_)) = turn(work) {
        hear(work, checked(Verdict::Pass));
    }
}

fn turn(work: &Work) -> Option<At> {
    work.active().map(|at| work.modules[at].debate.at)
}

fn last_move(steps: &[Step]) -> Option<&Move> {
    steps.iter().find_map(|step| match step {
        Step::Debated(_, said) => Some(said),
        _ => None,
    })
}

// ---- 9.7 and 3.4: what each role is told ----

fn scene_after(answers: &[Value]) -> Work {
    let mut work = planned(&[("MM-a", &["MM-up@1.0.0"])]);
    for answer in answers {
        hear(&mut work, done(answer.clone()));
    }
    work
}

fn told(work: &Work, role: Role, occasion: Occasion) -> (String, Vec<String>, Vec<String>) {
    let upstream = [ModuleRef::parse("MM-up@1.0.0").unwrap()];
    let task = TaskId::from("T-a-001");
    let scene = Scene {
        task: &task,
        work,
        module: Some(0),
        upstream: &upstream,
        criteria: &[],
    };
    let sight = sight(&scene, role, occasion);
    (brief(&scene, role, occasion), sight.sees, sight.scope)
}

#[test]
fn s9_7_the_challenger_never_sees_source_nor_the_task() {
    let work = scene_after(&[said::proposal()]);
    let (brief, sees, scope) = told(&work, Role::Challenger, Occasion::Challenge);
    assert!(brief.contains("it satisfies the contract"), "{brief}");
    for criterion in EVALUATION {
        assert!(brief.contains(criterion.checks), "{}", criterion.id);
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
                task: &task,
                work: &work,
                module: Some(0),
                upstream: &upstream,
                criteria: &[],
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
        task: &task,
        work: &work,
        module: Some(0),
        upstream: &upstream,
        criteria: &[],
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
                None => continue,
            };
            match ModuleRef::parse(named) {
                Some(module) => {
                    levels.insert(one.permission);
                    let globs = one.permission.module_globs().into_iter();
                    permitted
                        .extend(globs.map(|glob| format!("{}/{glob}", module_folder(&module))));
                }
                None => _ = permitted.insert(format!("project/**/{named}.md")),
            }
        }
        let sees: BTreeSet<String> = sight(&scene, role, occasion).sees.into_iter().collect();
        assert_eq!(sees, permitted, "{role:?} {occasion:?}");
    }
    // The table gives modules at these two levels, so both were looked at.
    assert_eq!(levels, [Permission::ContractOnly, Permission::Full].into());
}

// ---- 10: the plan ----

#[test]
fn s10_1_a_plan_with_a_fault_is_refused_with_its_path() {
    let break_it = |change: &dyn Fn(&mut Value)| {
        let mut plan = said::plan(&[("MM-a", &[]), ("MM-b", &["MM-a@1.0.0"])]);
        change(&mut plan);
        let faults = judge(&plan).err().unwrap_or_default();
        faults
            .into_iter()
            .map(|fault| fault.path)
            .collect::<Vec<_>>()
    };
    assert!(break_it(&|_| {}).is_empty());
    type Break<'a> = (&'a str, &'a dyn Fn(&mut Value));
    let cases: [Break<'_>; 9] = [
        ("", &|plan| *plan = json!({})),
        ("modules", &|plan| plan["modules"] = json!([])),
        ("modules[0]", &|plan| plan["modules"][0]["name"] = json!(7)),
        ("modules[0].module_id", &|plan| {
            plan["modules"][0]["module_id"] = json!("a")
        }),
        ("modules[1].module_id", &|plan| {
            plan["modules"][1]["module_id"] = json!("MM-a")
        }),
        ("modules[0].io_contract.effects", &|plan| {
            plan["modules"][0]["io_contract"]["effects"] = json!([])
        }),
        ("modules[1].io_contract.modes", &|plan| {
            plan["modules"][1]["io_contract"]["modes"] = json!(["TBD"])
        }),
        ("modules[0].reuse_justification", &|plan| {
            plan["modules"][0]["reuse_justification"] = json!("")
        }),
        ("modules", &|plan| {
            plan["modules"][0]["depends_on"] = json!(["MM-b@1.0.0"])
        }),
    ];
    for (path, change) in cases {
        assert!(break_it(change).contains(&path.to_owned()), "{path}");
    }
    let bad_ref = break_it(&|plan| plan["modules"][1]["depends_on"] = json!(["MM-a"]));
    assert_eq!(bad_ref, ["modules[1]"]);
}

#[test]
fn s10_1_a_plan_is_asked_for_three_times_and_then_the_task_halts() {
    let mut work = Work::default();
    for _ in 0..3 {
        assert_eq!(work.want(), Some(Want::Plan));
        hear(&mut work, done(json!({"modules": []})));
    }
    assert_eq!(work.want(), None);
    let end = End::Halted {
        code: "plan_invalid".to_owned(),
        module: None,
    };
    assert_eq!(work.end, Some(end));
}

#[test]
fn s10_2_modules_go_in_topological_order_by_declaration() {
    let mut work = planned(&[("MM-c", &["MM-b@1.0.0"]), ("MM-a", &[]), ("MM-b", &[])]);
    let mut order = Vec::new();
    while let Some(at) = work.active() {
        order.push(at);
        ship(&mut work);
    }
    assert_eq!(order, [1, 2, 0]);
    let Some(End::Shipped(modules)) = &work.end else {
        panic!("{:?}", work.end);
    };
    let names: Vec<&str> = modules.iter().map(|one| one.module.as_str()).collect();
    assert_eq!(names, ["MM-a", "MM-b", "MM-c"]);
}

#[test]
fn s10_3_the_locked_plan_never_changes() {
    let mut work = planned(&[("MM-a", &[])]);
    let locked = work.plan.clone();
    ship(&mut work);
    assert_eq!(work.plan, locked);
}

#[test]
fn s3_4_what_depends_on_a_failed_module_is_abandoned_and_the_rest_is_tried() {
    let mut work = planned(&[("MM-a", &[]), ("MM-b", &["MM-a@1.0.0"]), ("MM-c", &[])]);
    fail_to_the_end(&mut work);
    assert_eq!(work.abandoned(), [1]);
    assert_eq!(work.active(), Some(2));
    ship(&mut work);
    assert!(matches!(&work.modules[2].fate, Fate::Shipped(_)));
    let end = work.end.clone();
    let Some(End::Halted { code, module }) = end else {
        panic!("{end:?}");
    };
    assert_eq!(code, "debate_rejected");
    assert_eq!(module.unwrap().as_str(), "MM-a");
}

#[test]
fn s10_3_a_challenge_that_doubts_the_plan_halts_the_whole_task() {
    let mut work = planned(&[("MM-a", &[]), ("MM-b", &[])]);
    for _ in 0..3 {
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::fail(&["R6"])));
    }
    hear(&mut work, done(said::reject()));
    let Some(End::Halted { code, .. }) = &work.end else {
        panic!("{:?}", work.end);
    };
    assert_eq!(code, "decomposition_wrong");
    assert_eq!(work.modules[1].fate, Fate::Waiting);
}

#[test]
fn s14_3_a_reused_module_is_not_made_again() {
    let mut plan = said::plan(&[("MM-a", &[])]);
    plan["modules"][0]["reuse_decision"] = json!("REUSE");
    assert!(judge(&plan).is_err());
    plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-old@2.1.0"]);
    let mut work = Work::default();
    hear(&mut work, done(plan.clone()));
    let old = ModuleRef::parse("MM-old@2.1.0").unwrap();
    assert_eq!(work.end, Some(End::Shipped(vec![old])));
    // A module that nobody has shipped does nobody's work.
    plan["modules"][0]["reuse_candidate_refs"] = json!(["MM-invented@1.0.0"]);
    let mut work = Work::default();
    let steps = hear(&mut work, done(plan));
    assert!(
        matches!(&steps[..], [Step::PlanRefused(faults)] if faults[0].message.contains("not shipped"))
    );
    assert_eq!(work.end, None);
}

// ---- 9: the debate ----

fn fail_to_the_end(work: &mut Work) {
    for _ in 0..3 {
        hear(work, done(said::proposal()));
        hear(work, done(said::fail(&["R3"])));
    }
    hear(work, done(said::reject()));
}

#[test]
fn s9_3_two_revisions_and_then_the_arbiter() {
    let mut work = planned(&[("MM-a", &[])]);
    let mut turns = Vec::new();
    for _ in 0..3 {
        turns.push(turn(&work).unwrap());
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::fail(&["R2"])));
    }
    assert_eq!(turns, [At::Propose, At::Revise, At::Revise]);
    assert_eq!(turn(&work), Some(At::Adjudicate));
    hear(&mut work, done(said::reject()));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("debate_rejected".to_owned())
    );
}

#[test]
fn s8_4_a_rejection_within_the_window_returns_to_the_proposer() {
    let mut work = planned(&[("MM-a", &[])]);
    for expected in [At::Revise, At::Revise] {
        hear(&mut work, done(said::proposal()));
        hear(&mut work, done(said::pass()));
        hear(&mut work, done(said::reject()));
        assert_eq!(turn(&work), Some(expected));
    }
    hear(&mut work, done(said::proposal()));
    hear(&mut work, done(said::pass()));
    hear(&mut work, done(said::reject()));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("debate_rejected".to_owned())
    );
}

#[test]
fn s9_4_and_9_5_mild_reviews_are_found() {
    let at_challenge = || {
        let mut debate = Debate::default();
        debate.take(&debate.hear(&said::proposal()), Some(&said::proposal()));
        debate
    };
    let mut broken: Vec<(&str, Value)> = vec![("vague approval", said::mild())];
    let mut partial = said::pass();
    partial["rubric_assessments"].as_array_mut().unwrap().pop();
    broken.push(("incomplete rubric", partial));
    let mut despite = said::fail(&["R3"]);
    despite["verdict"] = json!("PASS");
    broken.push(("pass despite defects", despite));
    let mut listed = said::pass();
    listed["failures"] = said::fail(&[])["failures"].clone();
    broken.push(("pass with failures", listed));
    let mut vague = said::pass();
    vague["rubric_assessments"][2]["evidence"] = json!("looks correct");
    broken.push(("no evidence", vague));
    let mut praise = said::pass();
    praise["rubric_assessments"][2]["evidence"] = json!("looks good to me overall");
    broken.push(("praise", praise));
    let mut dimension = said::pass();
    dimension["rubric_assessments"][0]["evidence"] = json!("inputs and outputs match the contract");
    broken.push(("dimensions left out", dimension));
    let mut twice = said::pass();
    twice["rubric_assessments"][1]["criterion"] = json!("R1");
    broken.push(("twice", twice));
    let mut empty = said::fail(&["R3"]);
    empty["failures"] = json!([]);
    broken.push(("fail without failures", empty));
    for (name, challenge) in broken {
        let said = at_challenge().hear(&challenge);
        assert!(
            matches!(&said.said, Said::Complained(faults) if !faults.is_empty()),
            "{name}: {said:?}"
        );
        assert_eq!(said.to, Now::At(At::Challenge), "{name}");
    }
    for (good, to) in [
        (said::pass(), At::Adjudicate),
        (said::fail(&["R1"]), At::Revise),
    ] {
        assert_eq!(at_challenge().hear(&good).to, Now::At(to));
    }
}

#[test]
fn s9_5_after_two_retries_a_mild_review_is_a_fail() {
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, done(said::proposal()));
    for _ in 0..2 {
        hear(&mut work, done(said::mild()));
        assert_eq!(turn(&work), Some(At::Challenge));
    }
    let steps = hear(&mut work, done(said::mild()));
    let Some(Said::Challenged {
        verdict,
        failures,
        by,
    }) = last_move(&steps).map(|one| &one.said)
    else {
        panic!("{steps:?}");
    };
    assert_eq!(
        (*verdict, *by),
        (ChallengeVerdict::Fail, Judge::ComplianceGate)
    );
    assert_eq!(failures[0].invariant, "mild_review_violation");
    assert_eq!(turn(&work), Some(At::Revise));
}

#[test]
fn s9_6_vague_or_contradicting_adjudications_are_refused() {
    let fails = |change: &dyn Fn(&mut Value), standing| {
        let mut ruling = said::amend();
        change(&mut ruling);
        adjudication(&ruling, standing).is_err()
    };
    use ChallengeVerdict::{Fail, Pass};
    assert!(!fails(&|_| {}, Fail));
    assert!(fails(
        &|one| one["amendments"][0]["detail"] = json!("improve error handling"),
        Pass
    ));
    assert!(fails(
        &|one| one["amendments"][0]["target"] = json!(""),
        Pass
    ));
    assert!(fails(
        &|one| one["amendments"][0]["action"] = json!("CHANGE"),
        Pass
    ));
    assert!(fails(&|one| one["amendments"] = json!([]), Pass));
    assert!(fails(&|one| one["ship_directive"] = json!("NO_SHIP"), Pass));
    assert!(fails(&|one| one["rationale"] = json!(" "), Pass));
    assert!(adjudication(&said::approve(), Pass).is_ok());
    // Section 19.6: after the last failure, amend or reject.
    assert!(adjudication(&said::approve(), Fail).is_err());
}

#[test]
fn s9_6_an_amended_approval_ships_without_another_debate() {
    let mut work = planned(&[("MM-a", &[])]);
    for answer in [
        said::proposal(),
        said::pass(),
        said::amend(),
        said::amended(true),
    ] {
        hear(&mut work, done(answer));
    }
    let mut steps = Vec::new();
    while let Some(At::Ship(step)) = turn(&work) {
        steps.push(step);
        hear(&mut work, checked(Verdict::Pass));
    }
    let all: Vec<ShipStep> = STEPS.iter().map(|row| row.step).collect();
    assert_eq!(steps, all);
    assert!(matches!(work.end, Some(End::Shipped(_))));
}

#[test]
fn s9_6_an_amendment_that_is_not_applied_halts() {
    for (answers, gate) in [
        (said::amended(false), None),
        (said::amended(true), Some(Verdict::Fail)),
    ] {
        let mut work = planned(&[("MM-a", &[])]);
        for answer in [said::proposal(), said::pass(), said::amend(), answers] {
            hear(&mut work, done(answer));
        }
        if let Some(verdict) = gate {
            assert_eq!(turn(&work), Some(At::Ship(ShipStep::Amendments)));
            hear(&mut work, checked(verdict));
        }
        assert_eq!(
            work.modules[0].fate,
            Fate::Failed("amendment_unapplied".to_owned())
        );
        assert!(!work.modules[0].debate.failures.is_empty());
    }
}

// ---- 11: the ship ----

#[test]
fn s11_a_failing_ship_is_a_failing_debate_and_is_bounded_with_it() {
    for (passes, code) in [
        (0, "interface_fingerprint"),
        (1, "public_surface"),
        (2, "black_box_tests"),
        (3, "tests_fail_on_stubs"),
    ] {
        let mut work = planned(&[("MM-a", &[])]);
        for round in 0..3 {
            for answer in [said::proposal(), said::pass(), said::approve()] {
                hear(&mut work, done(answer));
            }
            for _ in 0..passes {
                hear(&mut work, checked(Verdict::Pass));
            }
            hear(&mut work, checked(Verdict::Fail));
            let expected = (round < 2).then_some(At::Revise);
            assert_eq!(turn(&work), expected, "{code} {round}");
        }
        assert_eq!(work.modules[0].fate, Fate::Failed(code.to_owned()));
    }
}

#[test]
fn s11_a_step_that_could_not_run_stops_for_a_person_and_costs_no_revision() {
    let steps = STEPS.iter().filter(|row| row.step != ShipStep::Amendments);
    for (before, row) in steps.enumerate() {
        for answer in [checked(Verdict::CouldNotRun), Answer::Gate(Vec::new())] {
            let mut work = planned(&[("MM-a", &[])]);
            for said in [said::proposal(), said::pass(), said::approve()] {
                hear(&mut work, done(said));
            }
            for _ in 0..before {
                hear(&mut work, checked(Verdict::Pass));
            }
            // The engine's own step is tried again by itself, a few times.
            let mut tries = 0;
            while work.stuck.is_none() {
                hear(&mut work, answer.clone());
                tries += 1;
            }
            let most = if row.step == ShipStep::Record { 3 } else { 1 };
            assert_eq!(tries, most, "{}", row.check);
            assert!(work.want().is_none() && work.next(&Nothing, Time(1)).is_none());
            assert_eq!(work.modules[0].debate.revisions, 0);
            assert_eq!(turn(&work), Some(At::Ship(row.step)));
            // A person mends it: the same step again, and the debate is where it was.
            work.stuck = None;
            assert_eq!(work.want(), Some(Want::Ship(0, row.step)));
            hear(&mut work, checked(Verdict::Pass));
            assert_ne!(turn(&work), Some(At::Ship(row.step)));
            assert_eq!(work.modules[0].debate.revisions, 0);
        }
    }
}

#[test]
fn s11_a_failure_beside_a_check_that_could_not_run_is_a_failure() {
    let mut work = planned(&[("MM-a", &[])]);
    for said in [said::proposal(), said::pass(), said::approve()] {
        hear(&mut work, done(said));
    }
    let result = |verdict| CheckResult::new("black_box_tests", verdict, "so");
    let both = vec![result(Verdict::CouldNotRun), result(Verdict::Fail)];
    hear(&mut work, Answer::Gate(both));
    assert_eq!(turn(&work), Some(At::Revise));
}

// ---- attempts that end badly ----

#[test]
fn s6_4_attempts_that_end_badly_are_bounded() {
    let ended = |class| Answer::Attempt(EffectId(1), Box::new(Outcome::bare(class, "so")));
    let mut work = planned(&[("MM-a", &[])]);
    for _ in 0..2 {
        hear(&mut work, ended(Class::Crashed));
        assert_eq!(turn(&work), Some(At::Propose));
    }
    hear(&mut work, ended(Class::TimedOut));
    assert_eq!(
        work.modules[0].fate,
        Fate::Failed("attempt_failed".to_owned())
    );
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::Auth));
    assert!(work.stuck.is_some() && work.want().is_none());
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::Transient));
    assert_eq!(work.patience.not_before, Some(Time(2_000)));
    let mut work = planned(&[("MM-a", &[])]);
    hear(&mut work, ended(Class::InvalidResult));
    assert_eq!(
        work.patience.continues,
        Some((EffectId(1), "so".to_owned()))
    );
}

// ---- 13: who may raise an exception ----

#[test]
fn s13_2_only_proposer_and_challenger_raise_and_only_upstream() {
    let raise = |before: &[Value], target: &str| {
        let mut work = scene_after(before);
        let steps = hear(&mut work, done(said::exception(target, "BREAKING")));
        (work, steps)
    };
    for before in [vec![], vec![said::proposal()]] {
        let (work, _) = raise(&before, "MM-up@1.0.0");
        assert!(
            matches!(&work.end, Some(End::Halted { code, .. }) if code == "interface_change_exception")
        );
    }
    let arbiter = [said::proposal(), said::pass()];
    for (before, target) in [
        (&arbiter[..], "MM-up@1.0.0"),
        (&[][..], "MM-a@1.0.0"),
        (&[][..], "MM-elsewhere@1.0.0"),
    ] {
        let (work, steps) = raise(before, target);
        assert!(
            matches!(&steps[0], Step::RaiseRefused(faults) if !faults.is_empty()),
            "{target}"
        );
        assert_eq!(work.end, None);
    }
}

#[test]
fn s13_3_an_exception_without_evidence_or_change_is_refused() {
    for (member, value) in [
        ("evidence", json!([])),
        ("proposed_contract_delta", json!({})),
        ("proposed_contract_delta", json!({"renamed_inputs": ["x"]})),
        ("reason", json!("")),
        ("urgency", json!("SOON")),
    ] {
        let mut raised = said::exception("MM-up@1.0.0", "BREAKING");
        raised["interface_change_exception"][member] = value;
        let mut work = scene_after(&[]);
        let steps = hear(&mut work, done(raised));
        assert!(
            matches!(&steps[0], Step::RaiseRefused(_)),
            "{member}: {steps:?}"
        );
    }
}
