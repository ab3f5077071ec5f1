//! A whole project and its records against somebody who changes them behind the journal: a split
//! with its task files, signed answers, everything that rule F7 lays out, and on a fresh clone
//! every kind of tampering, found by name.

use crate::factory_people::halting;
use crate::factory_run::{
    EXAMPLES, FIRST, LABEL, LABEL_TESTS, SECOND, approve, plan, proposal, started,
};
use crate::support::World;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::Entry;

const THIRD: &str = "T-core-auth-login-003";

/// The second task is given up for a third, which goes well.
fn splitting() -> Value {
    let mut script = halting();
    let attempts = script["attempt"].as_array_mut().unwrap();
    let at = |name: &str| format!("repo/state_store/modules/MM-tag/1.0.0/{name}");
    let tests = LABEL_TESTS.replace("mm_label", "mm_tag");
    let own = [
        json!({"state": "micro_plan", "brief": format!("micro_planner for {THIRD}"), "result":
            plan("MM-tag", "Makes a tag of a line", "label: String; the text comes first", &["MM-moment@1.0.0"])}),
        json!({"state": "propose", "brief": format!("proposer for {THIRD}"), "steps": [
            {"write": at("implementation/lib.rs"), "text": LABEL},
            {"write": at("tests/lines.rs"), "text": tests},
            {"write": at("examples.md"), "text": EXAMPLES},
        ], "result": proposal()}),
        json!({"state": "adjudicate", "brief": format!("arbiter for {THIRD}"), "result": approve()}),
    ];
    for (place, one) in own.into_iter().enumerate() {
        attempts.insert(place, one);
    }
    script
}

fn split(world: &World, key: &str) {
    world.run(&["factory", "run", "p"]).exits(2);
    let parts = json!({"new_tasks": [{
        "name": "Tag lines", "description": "Makes a tag of a line, and nothing else",
        "acceptance_criteria": ["returns the text first", "rejects a line without a blank"],
        "depends_on": [FIRST],
    }]});
    world.write("agent/parts.json", &parts.to_string());
    let args = [
        "resolve",
        SECOND,
        "--action",
        "SPLIT_TASK",
        "--payload",
        "agent/parts.json",
        "--because",
        "too much at once",
        "--sign",
        key,
    ];
    world.run(&args).exits(0);
}

fn finished() -> World {
    let world = started(&splitting());
    let key = world.approver("ann").display().to_string();
    split(&world, &key);
    // Before anybody works on it, the new task has a file with every part of the template.
    let file = format!(".proofhouse/project/core/auth/login/tag-lines/{THIRD}.md");
    let text = world.read(&file);
    for part in [
        "# Task: Tag lines",
        "## Context",
        "## Description",
        "## Subtasks",
        "## Acceptance Criteria",
        "## Micro Module Contract",
        "- **Error surfaces:** ",
        "## Dependency Contracts",
        "## Error Cases",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(text.contains(&format!("- {FIRST}: Inputs: ")), "{text}");
    std::fs::remove_file(world.at(&file)).unwrap();
    world.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(world.read(&file), text, "a lost one is written again");
    world
}

fn store_files(world: &World, folder: &str) -> Vec<PathBuf> {
    let root = world.at(".proofhouse/state_store").join(folder);
    let names = store::walk(&root, &|_| false).unwrap();
    names.into_iter().map(|name| root.join(name)).collect()
}

#[test]
fn s7_the_records_of_a_project_are_on_disk_valid_and_made_again_when_lost() {
    let world = finished();
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = &status["state_machine"]["tasks"];
    assert_eq!(tasks[SECOND]["status"], "ABANDONED");
    assert_eq!(tasks[THIRD]["module_ref"], "MM-tag@1.0.0");
    assert_eq!(status["releases"][0]["overall_result"], "PASS");

    let attempts = status["status"]["attempts"].as_array().unwrap().len();
    for (folder, document, count) in [
        ("context_packs", "ContextPack", attempts),
        ("contributions", "Contribution", attempts),
        ("escalations", "EscalationArtifact", 1),
        ("releases", "ReleaseManifest", 1),
    ] {
        let files = store_files(&world, folder);
        assert_eq!(files.len(), count, "{folder}");
        for file in files {
            let file = file.display().to_string();
            world
                .run(&["factory", "validate", &file, "--schema", document])
                .exits(0);
        }
    }
    let escalation = std::fs::read_to_string(&store_files(&world, "escalations")[0]).unwrap();
    let escalation: Value = serde_json::from_str(&escalation).unwrap();
    assert_eq!(escalation["resolution"]["action"], "SPLIT_TASK");
    assert_eq!(escalation["resolution"]["resolved_by"], "ann@example.org");
    let artifacts = store_files(&world, "artifacts/core");
    let envelopes = artifacts
        .iter()
        .filter(|path| path.ends_with("envelope.json"));
    let statuses: Vec<String> = envelopes
        .map(|path| {
            let file = path.display().to_string();
            world
                .run(&["factory", "validate", &file, "--schema", "ArtifactEnvelope"])
                .exits(0);
            let text = std::fs::read_to_string(path).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap();
            format!("{} {}", value["artifact_type"], value["status"]).replace('"', "")
        })
        .collect();
    for one in [
        "MICRO_PLAN DRAFT",
        "REUSE_SEARCH_REPORT DRAFT",
        "IMPLEMENTATION SHIPPED",
        "CONTRACT SHIPPED",
        "EXAMPLES SHIPPED",
        "SHIP_EVIDENCE SHIPPED",
    ] {
        assert!(
            statuses.iter().any(|status| status == one),
            "{one}: {statuses:?}"
        );
    }
    assert!(
        statuses.contains(&"IMPLEMENTATION ADJUDICATED".to_owned()),
        "the one that was split"
    );
    let rounds = store_files(&world, "debates");
    assert!(
        rounds
            .iter()
            .any(|path| path.ends_with("round-2/proposal.json")),
        "{rounds:?}"
    );

    // All of it is a view of the journal.
    let kept = |world: &World| -> Vec<(PathBuf, String)> {
        let folders = [
            "context_packs",
            "contributions",
            "artifacts",
            "debates",
            "escalations",
            "releases",
        ];
        let files = folders.iter().flat_map(|folder| store_files(world, folder));
        files
            .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
            .collect()
    };
    let before = kept(&world);
    for folder in [
        "context_packs",
        "contributions",
        "artifacts",
        "debates",
        "escalations",
        "releases",
    ] {
        std::fs::remove_dir_all(world.at(".proofhouse/state_store").join(folder)).unwrap();
    }
    world.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(kept(&world), before);
    // What somebody wrote into one is put right as well, whatever it is.
    for (path, text) in before.iter().step_by(7) {
        std::fs::write(path, text.replace('"', "'")).unwrap();
    }
    assert_ne!(kept(&world), before);
    world.run(&["factory", "run", "p"]).exits(0);
    assert_eq!(kept(&world), before);
    world.run(&["audit", "p"]).exits(0);
}

pub(crate) struct Clone_ {
    world: World,
    folder: tempfile::TempDir,
}

impl Clone_ {
    pub(crate) fn of(world: World) -> Self {
        world.commit("with the project");
        let folder = tempfile::tempdir().unwrap();
        world.git(&["clone", "--quiet", ".", folder.path().to_str().unwrap()]);
        Self { world, folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(".proofhouse").join(path)
    }

    pub(crate) fn audit(&self) -> Vec<(String, String)> {
        let repo = self.folder.path().display().to_string();
        let said = self.world.run(&["audit", "p", "--ci", "--repo", &repo]);
        let report = said.json();
        assert_eq!(said.code == 0, report["clean"] == true, "{}", said.out);
        let findings = report["runs"][0]["findings"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        findings
            .iter()
            .map(|one| (text(&one["code"]), text(&one["what"])))
            .collect()
    }

    /// Tampers, looks, and takes the tampering back.
    #[track_caller]
    pub(crate) fn finds(&self, code: &str, words: &str, tamper: impl FnOnce(&Self)) {
        tamper(self);
        let found = self.audit();
        assert!(
            found
                .iter()
                .any(|(one, what)| one == code && what.contains(words)),
            "no {code} ({words}) in {found:#?}"
        );
        let git = |args: &[&str]| {
            let repo = self.folder.path().to_str().unwrap();
            self.world.git(&[&["-C", repo], args].concat());
        };
        git(&["checkout", "--quiet", "--", "."]);
        git(&["clean", "--quiet", "--force", "-d"]);
    }

    fn change(&self, path: &str, from: &str, to: &str) {
        let path = self.at(path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// Writes the journal anew: consistent in itself, every hash right.
    pub(crate) fn rewrite(&self, change: impl Fn(&mut Vec<Entry>)) {
        crate::support::rewrite(&self.at("journal"), "p", |mut entries| {
            change(&mut entries);
            entries
        });
    }
}

fn one_of(folder: &Path) -> PathBuf {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names.remove(0)
}

/// A piece of evidence that the journal names; the vault also holds records that were replaced.
fn vouched(clone: &Clone_) -> PathBuf {
    let journal = std::fs::read_to_string(clone.at("journal/p.jsonl")).unwrap();
    let root = clone.at("evidence");
    let mut names = store::walk(&root, &|_| false).unwrap().into_iter();
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        journal.contains(&*name)
    };
    root.join(names.find(named).unwrap())
}

#[test]
fn s7_and_15_4_an_audit_of_a_fresh_clone_finds_whatever_was_changed() {
    let clone = Clone_::of(finished());
    assert_eq!(clone.audit(), Vec::new());
    let code = "state_store/modules/MM-moment/1.0.0/implementation/lib.rs";
    let sealed = "state_store/modules/MM-moment/1.0.0/seal.json";
    let contract = "state_store/modules/MM-moment/1.0.0/contract.json";
    let release = one_of(&clone.at("state_store/releases"));
    let release = release
        .strip_prefix(clone.at(""))
        .unwrap()
        .display()
        .to_string();

    clone.finds("seal_broken", "implementation/lib.rs", |clone| {
        clone.change(code, "split_once", "rsplit_once");
    });
    clone.finds(
        "seal_broken",
        "seal.json of MM-moment@1.0.0 is not what the ship wrote",
        |clone| {
            let hash = |clone: &Clone_| store::sha256_hex(&std::fs::read(clone.at(code)).unwrap());
            let before = hash(clone);
            clone.change(code, "split_once", "rsplit_once");
            clone.change(sealed, &before, &hash(clone));
        },
    );
    clone.finds(
        "contract_differs",
        "contract.json of MM-moment@1.0.0",
        |clone| {
            clone.change(contract, "not empty", "anything");
        },
    );
    clone.finds("seal_broken", "ship.json of MM-moment@1.0.0", |clone| {
        clone.change(
            "state_store/modules/MM-moment/1.0.0/ship.json",
            "\"runner_id\": \"",
            "\"runner_id\": \"x",
        );
    });
    clone.finds("record_differs", "releases/", |clone| {
        clone.change(&release, "2 modules released", "3 modules released");
    });
    clone.finds("record_differs", "context_packs/", |clone| {
        let pack = one_of(&clone.at("state_store/context_packs"));
        let text = std::fs::read_to_string(&pack).unwrap();
        std::fs::write(pack, text.replace("CONTRACT_ONLY", "FULL")).unwrap();
    });
    clone.finds("record_missing", "contributions/", |clone| {
        std::fs::remove_file(one_of(&clone.at("state_store/contributions"))).unwrap();
    });
    clone.finds("record_missing", "debates/", |clone| {
        std::fs::remove_dir_all(one_of(&clone.at("state_store/debates"))).unwrap();
    });
    clone.finds("view_differs", "state_machine.json", |clone| {
        clone.change(
            "state_store/project/state_machine.json",
            "ABANDONED",
            "SHIPPED",
        );
    });
    clone.finds("view_differs", THIRD, |clone| {
        let file = format!("project/core/auth/login/tag-lines/{THIRD}.md");
        clone.change(&file, "rejects a line", "takes a line");
    });
    clone.finds(
        "view_differs",
        "project/core/T-core-auth-login-009.md",
        |clone| {
            let stray = clone.at("project/core/T-core-auth-login-009.md");
            std::fs::write(stray, "# Task: nobody's").unwrap();
        },
    );
    clone.finds("evidence_missing", "", |clone| {
        std::fs::remove_file(vouched(clone)).unwrap();
    });
    clone.finds("evidence_corrupt", "", |clone| {
        std::fs::write(vouched(clone), "forged").unwrap();
    });
    clone.finds("index_differs", "MM-tag@1.0.0", |clone| {
        let repo = clone.folder.path().display().to_string();
        let args = [
            "index",
            "deprecate",
            "MM-tag@1.0.0",
            "--because",
            "so",
            "--repo",
            &repo,
        ];
        clone.world.run(&args).exits(0);
    });
    clone.finds(
        "index_differs",
        "MM-tag@1.0.0 has another purpose in the Code Index",
        |clone| {
            // An index that was made anew, with every other entry as it was.
            let path = clone.at("state_store/code_index/index.sqlite");
            let open = |create| index::AppendOnlyCodeIndex::open(&path, create).unwrap();
            let mut entries = open(index::Create::Never)
                .list(&index::Filter::default())
                .unwrap();
            std::fs::remove_file(&path).unwrap();
            for one in &mut entries {
                if one.module_id.as_str() == "MM-tag" {
                    "Sends money to whoever asks".clone_into(&mut one.purpose);
                }
            }
            let embedder = index::embed::open("built-in", &index::embed::Settings::default());
            let added =
                open(index::Create::IfMissing).add(&entries, &*embedder.unwrap(), kernel::Time(1));
            added.unwrap();
        },
    );
    let decided = |entries: &mut Vec<Entry>| -> usize {
        entries
            .iter()
            .position(|entry| entry.kind == "decided.v1")
            .unwrap()
    };
    clone.finds("forged_decision", "SPLIT_TASK", |clone| {
        // Another payload under the same signature.
        clone.rewrite(|entries| {
            let at = decided(entries);
            entries[at].body["with"]["new_tasks"][0]["description"] = json!("Something else");
        });
    });
    clone.finds("forged_decision", "SPLIT_TASK", |clone| {
        // And with a reason that fits it.
        clone.rewrite(|entries| {
            let at = decided(entries);
            entries[at].body["with"]["new_tasks"][0]["description"] = json!("Something else");
            let with = entries[at].body["with"].clone();
            let because = approval::bound("too much at once", SECOND, &with);
            entries[at].body["because"] = json!(because);
        });
    });
    clone.finds("unsigned_decision", "SPLIT_TASK", |clone| {
        clone.rewrite(|entries| {
            let at = decided(entries);
            entries[at].body["channel"] = json!("terminal");
            entries[at]
                .body
                .as_object_mut()
                .unwrap()
                .remove("signature");
        });
    });
    clone.finds("unfounded_fact", "task_shipped.v1", |clone| {
        clone.rewrite(|entries| {
            let body = json!({"name": "task_shipped.v1", "body": {"task": SECOND, "modules": []}});
            let last = entries.last().unwrap().at;
            entries.push(Entry {
                at: last,
                kind: "noted.v1".to_owned(),
                body,
            });
        });
    });
    clone.finds("unfounded_fact", "release_judged.v1", |clone| {
        clone.rewrite(|entries| {
            let judged = entries
                .iter_mut()
                .rev()
                .find(|entry| entry.body["name"] == "release_judged.v1");
            judged.unwrap().body["body"]["modules"] = json!([]);
        });
    });
    assert_eq!(clone.audit(), Vec::new(), "everything was taken back");
}
