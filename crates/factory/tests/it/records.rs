//! The records of the state store (rules F5.2, F5.3, F7, F8, F9.2): every one that a project leads to
//! has the form of its document, follows from the journal alone, and the same journal gives the same.

use crate::machine::{Story, calm, stories};
use crate::world::Project;
use factory::machine::{Record, Recorder};
use factory::schema;
use kernel::event::Body;
use serde_json::Value;
use std::collections::BTreeMap;

fn story(name: &str) -> Story {
    let mut all = stories().into_iter();
    all.find(|(one, _)| *one == name).unwrap().1
}

fn all(project: &Project) -> Vec<Record> {
    let mut recorder = Recorder::new();
    let events = project.journal.iter();
    events.flat_map(|event| recorder.take(event)).collect()
}

fn files(project: &Project) -> BTreeMap<String, Value> {
    let all = all(project).into_iter();
    all.map(|one| (one.path, one.value)).collect()
}

fn of<'a>(files: &'a BTreeMap<String, Value>, folder: &str) -> Vec<(&'a String, &'a Value)> {
    let found = files.iter().filter(|(path, _)| path.starts_with(folder));
    found.collect()
}

#[test]
fn s7_every_record_is_a_valid_document_and_a_replay_gives_the_same() {
    let mut kinds = BTreeMap::new();
    for (name, story) in stories() {
        let project = calm(&story, 1);
        let records = all(&project);
        for record in &records {
            *kinds.entry(record.document).or_insert(0) += 1;
            let Some(document) = schema::find(record.document) else {
                continue;
            };
            let report = schema::validate(document, record.value.to_string().as_bytes());
            assert!(
                report.passes(),
                "{name}: {}: {:?}\n{:#}",
                record.path,
                report.errors,
                record.value
            );
        }
        assert_eq!(records, all(&project), "{name}");
    }
    for kind in [
        "ContextPack",
        "Contribution",
        "ArtifactEnvelope",
        "MicroPlan",
        "ReuseSearchReport",
        "Proposal",
        "Challenge",
        "Adjudication",
        "EscalationArtifact",
        "InterfaceChangeException",
        "ReleaseManifest",
        "MicroModuleContract",
    ] {
        assert!(
            kinds.contains_key(kind),
            "no story leads to a {kind}: {kinds:?}"
        );
    }
}

#[test]
fn s5_2_each_invocation_has_one_pack_and_each_answer_one_contribution_that_never_changes() {
    for (name, story) in stories() {
        let project = calm(&story, 1);
        let began = |event: &&kernel::Event| matches!(&event.body, Body::EffectBegan(one) if !one.role.is_empty());
        let invoked = project.journal.iter().filter(began).count();
        let answered = project.journal.iter().filter(
            |event| matches!(&event.body, Body::AttemptEnded(one) if one.outcome.result.is_some()),
        );
        let records = all(&project);
        let count = |folder: &str| {
            let paths = records.iter().map(|one| one.path.as_str());
            paths.filter(|path| path.starts_with(folder)).count()
        };
        assert_eq!(count("context_packs/"), invoked, "{name}");
        assert_eq!(count("contributions/"), answered.count(), "{name}");
        let files = files(&project);
        assert_eq!(of(&files, "context_packs/").len(), invoked, "{name}");
        for (_, contribution) in of(&files, "contributions/") {
            let pack = contribution["context_pack_ref"].as_str().unwrap();
            let pack = &files[&format!("context_packs/{pack}.json")];
            assert_eq!(
                pack["created_for"]["role"],
                contribution["produced_by"]["role"]
            );
            assert_eq!(
                pack["created_for"]["run_id"],
                contribution["produced_by"]["run_id"]
            );
        }
    }
}

#[test]
fn s9_2_a_debate_is_on_disk_round_by_round_and_its_deliverable_goes_through_the_statuses() {
    let project = calm(&story("troubled"), 1);
    let files = files(&project);
    let debates = of(&files, "debates/");
    // The first module: refused as mild, failed, revised, passed with amendments.
    let rounds = debates
        .iter()
        .filter(|(path, _)| path.contains("/round-2/"));
    let rounds: Vec<&str> = rounds
        .map(|(path, _)| path.rsplit('/').next().unwrap())
        .collect();
    assert!(rounds.contains(&"proposal.json"), "{rounds:?}");
    assert!(rounds.contains(&"challenge.json"), "{rounds:?}");
    for (path, value) in &debates {
        let target = path.split('/').nth(1).unwrap();
        assert_eq!(value["target_artifact_id"], target, "{path}");
        assert!(
            files
                .keys()
                .any(|path| path.contains(&format!("/{target}/1.0.0/envelope.json"))),
            "{target} has no envelope"
        );
    }
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in all(&project) {
        let kinds = ["IMPLEMENTATION", "CONTRACT", "EXAMPLES"].map(Value::from);
        if kinds.contains(&record.value["artifact_type"]) {
            let status = record.value["status"].as_str().unwrap().to_owned();
            seen.entry(record.path).or_default().push(status);
        }
    }
    for (path, statuses) in seen {
        assert_eq!(statuses.first().unwrap(), "DRAFT", "{path}");
        assert_eq!(statuses.last().unwrap(), "SHIPPED", "{path}: {statuses:?}");
        for pair in statuses.windows(2) {
            let legal = [
                ("DRAFT", "CHALLENGED"),
                ("CHALLENGED", "ADJUDICATED"),
                // A failed challenge or ship is revised: another draft of the same deliverable.
                ("CHALLENGED", "DRAFT"),
                ("ADJUDICATED", "DRAFT"),
                ("DRAFT", "DRAFT"),
                ("ADJUDICATED", "SHIPPED"),
            ];
            assert!(
                legal.contains(&(pair[0].as_str(), pair[1].as_str())),
                "{path}: {statuses:?}"
            );
        }
    }
}

#[test]
fn s4_2_and_17_2_what_a_person_attests_is_in_the_escalation() {
    let answered = |name: &str, action: &str| {
        let files = files(&calm(&story(name), 1));
        let found = of(&files, "escalations/").into_iter();
        let mut found = found.filter(|(_, one)| one["resolution"]["action"] == action);
        (found.next().unwrap().1["resolution"].clone(), files)
    };
    let (split, _) = answered("resolved", "SPLIT_TASK");
    assert_eq!(split["payload"]["new_tasks"][0]["name"], "first half");
    let (approved, files) = answered("abandoned", "APPROVE_OVERRIDE");
    assert_eq!(approved["payload"]["rationale"], "we know better");
    assert!(approved["resolved_by"].is_string());
    // The person's word is in the debate as well, in the Arbiter's place.
    let words = of(&files, "debates/");
    assert!(words.iter().any(|(path, value)| {
        path.ends_with("/adjudication.json")
            && value["rationale"]
                .as_str()
                .is_some_and(|text| text.starts_with("we know better (by "))
    }));
}

#[test]
fn s13_3_and_13_5_an_exception_has_its_record_and_its_decision_beside_it() {
    let files = files(&calm(&story("changed"), 1));
    let exceptions = of(&files, "exceptions/");
    let record = exceptions
        .iter()
        .find(|(path, _)| !path.contains("decisions"));
    let (path, record) = record.unwrap();
    assert_eq!(record["raised_by"]["role"], "challenger");
    assert_eq!(
        record["proposed_contract_delta"]["added_inputs"][0]["name"],
        "separator"
    );
    let decisions = &files[&path.replace(".json", ".decisions.json")];
    assert_eq!(decisions[0]["decision"], "APPROVE_CHANGE");
    let debated = of(&files, "debates/CTR-");
    assert!(debated.len() >= 6, "{debated:?}");
}

/// The envelopes of one type, by path, each as it was written last.
fn envelopes(files: &BTreeMap<String, Value>, kind: &str) -> Vec<Value> {
    let all = of(files, "artifacts/").into_iter();
    let all = all.filter(|(_, value)| value["artifact_type"] == kind);
    all.map(|(_, value)| value.clone()).collect()
}

fn body(files: &BTreeMap<String, Value>, envelope: &Value) -> Value {
    let id = envelope["artifact_id"].as_str().unwrap();
    let of = |path: &&String| path.contains(&format!("/{id}/1.0.0/body/"));
    files[files.keys().find(of).unwrap()].clone()
}

#[test]
fn s8_1_contract_examples_and_ship_evidence_of_every_module_are_in_envelopes() {
    let project = calm(&story("troubled"), 1);
    let files = files(&project);
    let shipped = project.machine.registry().iter().count();
    assert_eq!(shipped, 2);
    for kind in ["IMPLEMENTATION", "CONTRACT", "EXAMPLES", "SHIP_EVIDENCE"] {
        let all = envelopes(&files, kind);
        assert_eq!(all.len(), shipped, "{kind}");
        for envelope in &all {
            assert_eq!(envelope["status"], "SHIPPED", "{kind}");
            let module = envelope["outputs"][0]["ref"].as_str().unwrap();
            let by = envelope["created_by"]["role"].as_str().unwrap();
            let pack = envelope["context_pack_ref"].as_str().unwrap();
            assert!(
                files.contains_key(&format!("context_packs/{pack}.json")),
                "{kind}"
            );
            let body = body(&files, envelope);
            match kind {
                "CONTRACT" => {
                    assert_eq!(by, "micro_planner");
                    let of = format!("{}@{}", body["module_id"], body["module_version"]);
                    assert_eq!(of.replace('"', ""), module);
                    assert_eq!(body["inputs"][0]["name"], "text");
                }
                "SHIP_EVIDENCE" => {
                    assert_eq!(by, "engine");
                    // It names all that it is the evidence of.
                    let inputs = envelope["inputs"].as_array().unwrap();
                    for prefix in ["T-", "IMPL-", "CTR-", "EX-"] {
                        let of = |one: &Value| one["ref"].as_str().unwrap().starts_with(prefix);
                        assert!(inputs.iter().any(of), "{prefix}: {inputs:?}");
                    }
                    assert_eq!(body["module_ref"], module);
                }
                _ => {
                    assert_eq!(by, "proposer");
                    assert_eq!(body["module_ref"], module);
                }
            }
        }
    }
    // The contract is on record before anybody implements it (rule F6.7).
    let records = all(&project);
    let first = |kind: &str| {
        let of = |one: &Record| one.value["artifact_type"] == kind;
        records.iter().position(of).unwrap()
    };
    assert!(first("CONTRACT") < first("IMPLEMENTATION"));
}

#[test]
fn s8_4_what_is_superseded_or_deprecated_is_marked_in_all_its_envelopes() {
    for (name, words) in [
        ("deprecated", "deprecated at "),
        ("changed", "superseded by MM-a-001@2"),
    ] {
        let project = calm(&story(name), 1);
        let (files, recorded) = (files(&project), all(&project));
        for kind in ["IMPLEMENTATION", "CONTRACT", "EXAMPLES", "SHIP_EVIDENCE"] {
            let of_old = |one: &&Value| one["outputs"][0]["ref"] == "MM-a-001@1.0.0";
            let found = envelopes(&files, kind);
            let old: Vec<&Value> = found.iter().filter(of_old).collect();
            assert_eq!(old.len(), 1, "{name}: {kind}");
            assert_eq!(old[0]["status"], "DEPRECATED", "{name}: {kind}");
            let notes = old[0]["notes"].as_str().unwrap();
            assert!(notes.contains(words), "{name}: {kind}: {notes}");
            // Who made it, when and from what is what it was.
            let path = |one: &Record| one.path.ends_with("envelope.json");
            let id = &old[0]["artifact_id"];
            let history: Vec<Value> = recorded
                .iter()
                .filter(|one| path(one) && one.value["artifact_id"] == *id)
                .map(|one| {
                    let mut kept = one.value.clone();
                    for changed in ["status", "notes"] {
                        kept.as_object_mut().unwrap().remove(changed);
                    }
                    kept
                })
                .collect();
            assert!(history.len() > 1, "{name}: {kind}");
            let last = &history[history.len() - 1];
            assert_eq!(&history[history.len() - 2], last, "{name}: {kind}");
            assert_eq!(&history[0], last, "{name}: {kind}");
            // And nothing else is.
            let marked = found.iter().filter(|one| one["status"] == "DEPRECATED");
            assert_eq!(marked.count(), 1, "{name}: {kind}");
        }
    }
}

#[test]
fn s10_3_a_persons_plan_is_an_artifact_and_no_contribution() {
    let project = calm(&story("taken over"), 1);
    let files = files(&project);
    let plans = envelopes(&files, "MICRO_PLAN");
    let by_people: Vec<&Value> = plans
        .iter()
        .filter(|one| one["created_by"]["role"] == "person")
        .collect();
    assert_eq!(by_people.len(), 1);
    let notes = by_people[0]["notes"].as_str().unwrap();
    assert!(notes.contains("the plan of ann"), "{notes}");
    let inputs = by_people[0]["inputs"].as_array().unwrap();
    let escalation = |one: &Value| one["ref"].as_str().unwrap().starts_with("ESC-");
    assert!(inputs.iter().any(escalation), "{inputs:?}");
    let plan = body(&files, by_people[0]);
    assert_eq!(plan["modules"][0]["module_id"], "MM-other");
    // With the contract that they gave it.
    assert_eq!(
        plan["modules"][0]["io_contract"]["inputs"][0],
        "text: non-empty"
    );
    let id = &by_people[0]["artifact_id"];
    let made = of(&files, "contributions/");
    let contributed = |one: &Value| {
        one["artifact_ref"]
            .as_str()
            .unwrap()
            .contains(id.as_str().unwrap())
    };
    assert!(!made.iter().any(|(_, one)| contributed(one)));
}

#[test]
fn s3_2_every_draft_of_a_spec_is_an_artifact_and_a_contribution_of_the_product_role() {
    let project = calm(&story("specified"), 1);
    let files = files(&project);
    let specs = envelopes(&files, "PRODUCT_SPEC");
    assert_eq!(
        specs.len(),
        5,
        "two refused, one rejected, one amended, one approved"
    );
    let drafts = of(&files, "contributions/");
    let drafts = drafts
        .iter()
        .filter(|(_, one)| one["type"] == "PRODUCT_SPEC");
    let drafts: Vec<&Value> = drafts.map(|(_, one)| *one).collect();
    assert_eq!(drafts.len(), 5);
    for draft in drafts {
        assert_eq!(draft["produced_by"]["role"], "product");
        let id = draft["artifact_ref"].as_str().unwrap().split('@').next();
        assert!(specs.iter().any(|one| one["artifact_id"].as_str() == id));
    }
    let noted = |words: &str| {
        let of = |one: &&Value| one["notes"].as_str().unwrap().contains(words);
        let found: Vec<&Value> = specs.iter().filter(of).collect();
        found
            .into_iter()
            .map(|one| body(&files, one)["spec"]["hash"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(noted("approved by ann"), ["spec-5"]);
    assert_eq!(
        noted("rejected by ann: it is not what we meant"),
        ["spec-2"]
    );
    assert_eq!(
        noted("to be changed, says ann: name the errors"),
        ["spec-3"]
    );
    assert_eq!(noted("not complete").len(), 2);
}

#[test]
fn s4_2_the_state_machine_has_the_form_of_its_document() {
    for (name, story) in stories() {
        let project = calm(&story, 1);
        let view = project.machine.state_machine();
        let document = schema::find("ProjectState").unwrap();
        let report = schema::validate(document, view.to_string().as_bytes());
        assert!(report.passes(), "{name}: {:?}", report.errors);
        let mut broken = view.clone();
        broken["tasks"]["T-a-001"]["status"] = "DONE".into();
        assert!(!schema::validate(document, broken.to_string().as_bytes()).passes());
        let mut broken = view.clone();
        broken["tasks"]["T-a-001"]["depends_on"] = serde_json::json!(["T-none-001"]);
        assert!(!schema::validate(document, broken.to_string().as_bytes()).passes());
    }
}
