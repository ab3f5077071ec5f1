//! The records of the state store (sections 5.2, 5.3, 7, 8, 9.2): every one that a project leads to
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
            let report = (document.validate)(record.value.to_string().as_bytes());
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
        // A draft of the spec is the product loop's, and no contribution to a task.
        let of_product: Vec<kernel::EffectId> = project
            .journal
            .iter()
            .filter_map(|event| match &event.body {
                Body::EffectBegan(one) if one.role == "product" => Some(one.effect),
                _ => None,
            })
            .collect();
        let answered = project.journal.iter().filter(|event| {
            matches!(&event.body, Body::AttemptEnded(one)
                if one.outcome.result.is_some() && !of_product.contains(&one.effect))
        });
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
        if record.value["artifact_type"] == "IMPLEMENTATION" {
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
