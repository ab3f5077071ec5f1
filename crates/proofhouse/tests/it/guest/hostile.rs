//! A guest with a shell that tries to decide: each way is refused here, or found by an audit on another clone
//! against the approvers of the branch that the work is to go to.

use super::{Client, RUN, SUM, decides, decides_by, handed_in, taken, worked, world, writes};
use crate::passkey::Authenticator;
use crate::support::{BIN, Said, World, rewrite, says};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const APPROVERS: &str = ".proofhouse/approvers";
const DECIDE: [&str; 5] = ["decide", RUN, "approve", "--because", "fine"];

/// Nothing of it was decided.
#[track_caller]
fn still_waits(world: &World) {
    let status = says(world, &["status", RUN, "--json"]).exits(0).json();
    let journal = world.read(&format!(".proofhouse/journal/{RUN}.jsonl"));
    assert!(!journal.contains("\"option\":\"approve\""), "{status}");
}

/// The same words at a terminal that the guest made itself, with the run code typed into it.
fn typed(world: &World, args: &[&str]) -> Option<String> {
    let status = says(world, &["status", RUN, "--json"]).exits(0).json();
    let code = status["run_code"].as_str().unwrap_or("AAAAAA").to_owned();
    let line = [&[BIN], args].concat().join(" ");
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let _ = writeln!(child.stdin.take()?, "{code}");
    let said = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

#[test]
fn a_guest_with_a_shell_decides_nothing() {
    let world = world();
    let mut client = worked(&world);
    // In its own name, and at a pseudo-terminal.
    says(&world, &DECIDE).refuses(1, "signature_required");
    if let Some(said) = typed(&world, &DECIDE) {
        assert!(said.contains("signature_required"), "{said}");
    }
    // With the approvers gone, there is no terminal either.
    let honest = world.read(APPROVERS);
    std::fs::remove_file(world.at(APPROVERS)).unwrap();
    if let Some(said) = typed(&world, &DECIDE) {
        assert!(said.contains("approvers"), "{said}");
    }
    still_waits(&world);
    // With others in their place: a key file, and a passkey of its own making.
    let key = world.approver("guest");
    let signed = [&DECIDE[..], &["--sign", key.to_str().unwrap()]].concat();
    says(&world, &signed).refuses(1, "signer_unknown");
    let own = Authenticator::of(8);
    world.write(
        APPROVERS,
        &format!("{honest}{}\n", own.line("ann@example.org")),
    );
    decides_by(&own, &world, "approve").refuses(1, "signer_unknown");
    // It cannot list itself.
    world.write(APPROVERS, &honest);
    let line = own.line("guest@example.org");
    says(&world, &["approver", "add", &line]).refuses(1, "signature_required");
    if let Some(said) = typed(&world, &["approver", "add", &format!("'{line}'")]) {
        assert!(said.contains("signature_required"), "{said}");
    }
    // Nor lower what the run demands.
    world.write(
        ".proofhouse/config.toml",
        "agent = \"guest\"\n[approvals]\ndecisions = \"any\"\nautonomy = \"auto\"\n",
    );
    says(&world, &DECIDE).refuses(1, "signature_required");
    // The state file is nobody's channel here.
    let state = format!(".proofhouse/tasks/{RUN}/STATE.md");
    let text = world.read(&state);
    world.write(&state, &text.replace("conservative", "auto"));
    says(&world, &["run", RUN]).exits(2);
    let status = says(&world, &["status", RUN, "--json"]).exits(0).json();
    assert_eq!(status["autonomy"], "conservative", "{status}");
    // A tool that decides is none.
    let (said, could) = client.call("inbox", json!({}));
    assert!(could && said.contains("Only the person answers"), "{said}");
    still_waits(&world);
    // A fork stands under the same terms.
    world.write(".proofhouse/config.toml", "agent = \"guest\"\n");
    let journal = world.read(&format!(".proofhouse/journal/{RUN}.jsonl"));
    let last = journal.lines().count().to_string();
    let fork = ["fork", RUN, "--at", &last, "--name", "f"];
    says(
        &world,
        &[&fork[..], &["--agent", "scripted:agent/script.toml"]].concat(),
    )
    .exits(0);
    says(&world, &["decide", "f", "approve", "--because", "fine"]).refuses(1, "signature_required");
    // What is not decided does not land.
    says(&world, &["land", RUN]).refuses(1, "not_done");
    // The honest twin.
    decides(&world, "approve").exits(0);
}

/// What a session's environment, its home and its own config say lowers nothing.
#[test]
fn no_setting_of_the_session_is_a_way_around() {
    let world = world();
    let _client = worked(&world);
    let settings = [
        ("PROOFHOUSE_APPROVALS__DECISIONS", "any"),
        ("PROOFHOUSE_APPROVALS__AUTONOMY", "auto"),
        ("PROOFHOUSE_AGENT", "scripted:agent/script.toml"),
    ];
    let home = world.at("agent/elsewhere");
    std::fs::create_dir_all(home.join("proofhouse")).unwrap();
    let config = "[approvals]\ndecisions = \"any\"\nautonomy = \"auto\"\n";
    std::fs::write(home.join("proofhouse/config.toml"), config).unwrap();
    for args in [&DECIDE[..], &["run", RUN], &["land", RUN]] {
        let mut command = world.command(args);
        command.env_remove("PROOFHOUSE_RUNS__TREE");
        command.envs(settings).env("XDG_CONFIG_HOME", &home);
        let said: Said = command.output().unwrap().into();
        assert_ne!(said.code, 0, "{args:?}: {}", said.out);
    }
    let status = says(&world, &["status", RUN, "--json"]).exits(0).json();
    assert_eq!(status["autonomy"], "conservative", "{status}");
    still_waits(&world);
    decides(&world, "approve").exits(0);
}

/// The other verbs that take a person's word, and `decide` in other words, at a terminal that the guest made itself.
#[test]
fn no_other_verb_is_a_way_around() {
    let world = world();
    let _client = worked(&world);
    let because = ["--because", "fine"];
    let verbs: [&[&str]; 8] = [
        &["decide", RUN, "APPROVE"],
        &["decide", RUN, "approved"],
        &["decide", RUN, "extend"],
        &["decide", RUN, "continue"],
        &["resolve", RUN, "--action", "APPROVE_OVERRIDE"],
        &["factory", "approve", RUN],
        &["wave", "tick", RUN, "1"],
        &["reopen", RUN],
    ];
    for verb in verbs {
        let args = [verb, &because].concat();
        assert_ne!(says(&world, &args).code, 0, "{verb:?}");
        typed(&world, &args);
        still_waits(&world);
    }
    // Going on by hand asks the same question again.
    typed(&world, &["run", RUN]);
    says(&world, &["run", RUN]).exits(2);
    says(&world, &["land", RUN]).refuses(1, "not_done");
    still_waits(&world);
    decides(&world, "approve").exits(0);
}

/// To lead a run back is a decision as well: at a terminal, and on the page of a record. A fork is none, and stands under
/// the same terms.
#[test]
fn to_lead_a_run_back_is_no_way_around() {
    let world = world();
    let _client = worked(&world);
    let journal = format!(".proofhouse/journal/{RUN}.jsonl");
    let before = world.read(&journal);
    let records = before
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut commits = records.filter(|one| one["body"]["commit"].is_string());
    let at = commits.next().expect("a commit")["seq"].to_string();
    let rewind = ["rewind", RUN, "--at", &at, "--because", "fine"];
    says(&world, &rewind).refuses(1, "signature_required");
    if let Some(said) = typed(&world, &rewind) {
        assert!(said.contains("signature_required"), "{said}");
    }
    // With a passkey of its own, on a page that it serves itself.
    let served = crate::serve::serve(&world, &["--decide"]);
    let (own, key) = (Authenticator::of(8), crate::serve::key_of(&served));
    let origin = format!("http://{}", served.host());
    let status = says(&world, &["status", RUN, "--json"]).exits(0).json();
    let head = status["head"]["hash"].as_str().unwrap();
    let asked = json!({ "repo": key, "run": RUN, "head": head, "about": at, "option": "rewind",
        "because": "looked at it", "filled": {} });
    let (code, words) = served.sends("/words", &asked.to_string());
    assert_eq!(code, 200, "{words}");
    let body = own.decides(&words, &origin, RUN, "rewind");
    let mut body: Value = serde_json::from_str(&body).unwrap();
    (body["repo"], body["head"], body["about"]) = (json!(key), json!(head), json!(at));
    let (code, said) = served.sends("/decide", &body.to_string());
    assert_eq!(
        (code, &said["code"]),
        (400, &json!("signature_invalid")),
        "{said}"
    );
    let left = json!({ "repo": key, "run": RUN, "at": before.lines().count(), "name": "f",
        "agent": "scripted:agent/script.toml" });
    let (code, said) = served.sends("/fork", &left.to_string());
    assert_eq!(code, 200, "{said}");
    says(&world, &["decide", "f", "approve", "--because", "fine"]).refuses(1, "signature_required");
    assert_eq!(world.read(&journal), before);
    decides(&world, "approve").exits(0);
}

/// A signature is good for its own words: another answer, another reason and another moment have others.
#[test]
fn a_signature_that_lies_about_is_no_way_around() {
    let world = world();
    let _client = worked(&world);
    let person = Authenticator::new();
    let words = ["decide", RUN, "reject", "--because", "not like this"];
    let message = says(&world, &[&words[..], &["--message"]].concat()).exits(0);
    world.write("agent/found", &person.signs(message.out.as_bytes()));
    let found = ["--signature", "agent/found"];
    let other = ["decide", RUN, "reject", "--because", "like this"];
    for args in [&DECIDE[..], &other] {
        says(&world, &[args, &found].concat()).refuses(1, "signature_invalid");
    }
    // A signature by the same passkey over other bytes altogether.
    world.write("agent/found", &person.signs(b"anything else"));
    says(&world, &[&DECIDE[..], &found].concat()).refuses(1, "signature_invalid");
    still_waits(&world);
    decides(&world, "approve").exits(0);
}

#[test]
fn an_edit_of_the_state_file_is_nobodys_word() {
    let world = world();
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    writes(&folder, "src/total.sh", SUM);
    let state = format!(".proofhouse/tasks/{RUN}/STATE.md");
    let edited = world.read(&state).replace("Review: no", "Review: yes");
    world.write(&state, &edited);
    let said = client.does("hand_in", handed_in(&attempt));
    assert!(said.contains("header_not_taken"), "{said}");
    assert!(said.contains("ended as out of scope"), "{said}");
    assert!(world.read(&state).contains("Review: no"));
    let journal = world.read(&format!(".proofhouse/journal/{RUN}.jsonl"));
    let edited = journal
        .lines()
        .find(|line| line.contains("fields_edited.v1"));
    let edited: Value = serde_json::from_str(edited.unwrap()).unwrap();
    let edited = &edited["body"];
    assert_eq!(edited["refused"]["Review"]["code"], "header_not_taken");
    assert_eq!(edited["fields"], json!({}));
}

#[test]
fn a_page_that_a_guest_serves_itself_decides_nothing() {
    let world = world();
    let _client = worked(&world);
    let served = crate::serve::serve(&world, &["--decide"]);
    // Without the token, and with one: what counts is the signature.
    let (host, origin) = (served.host(), format!("http://{}", served.host()));
    let own = Authenticator::of(8);
    let key = crate::serve::key_of(&served);
    let status = says(&world, &["status", RUN, "--json"]).exits(0).json();
    let head = status["head"]["hash"].as_str().unwrap();
    // The very words that a person would sign, signed by a passkey of the guest's own.
    let query = format!("option=approve&because=looked%20at%20it&head={head}");
    let asked = format!("GET /words/{key}/{RUN}?{query}");
    let token = [
        ("Host", host.as_str()),
        ("X-Proofhouse-Token", &served.token),
    ];
    let (_, words) = served.answer(&asked, &token, "");
    let words = words.split_once("\r\n\r\n").unwrap().1;
    let words: Value = serde_json::from_str(words).unwrap();
    let body = own.decides(&words, &origin, RUN, "approve");
    let mut body: Value = serde_json::from_str(&body).unwrap();
    (body["repo"], body["head"]) = (json!(key), json!(head));
    let body = body.to_string();
    let headers = [
        ("Host", host.as_str()),
        ("Origin", &origin),
        ("Content-Type", "application/json"),
    ];
    let (status, _) = served.answer("POST /decide", &headers, &body);
    assert_eq!(status, 401);
    let (status, said) = served.sends("/decide", &body);
    assert_eq!(
        (status, &said["code"]),
        (400, &json!("signature_invalid")),
        "{said}"
    );
    // What else the page does decides nothing either: the engine starts, and asks again.
    let named = json!({ "repo": key, "run": RUN }).to_string();
    for path in ["/go_on", "/stop", "/go_on"] {
        served.sends(path, &named);
        still_waits(&world);
    }
    // Nor do the tools over HTTP: none decides, whatever it is called.
    let tools = crate::serve::serve(&world, &["--mcp", "--decide"]);
    let bearer = format!("Bearer {}", tools.tools["key"].as_str().unwrap());
    let place = tools.tools["addresses"][0].as_str().unwrap().to_owned();
    let own = format!("http://{}", tools.host());
    let host = tools.host();
    for name in ["decide", "approve", "land", "extend"] {
        let params = json!({ "name": name, "arguments": { "run": RUN, "option": "approve" } });
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [
            ("Host", host.as_str()),
            ("Content-Type", "application/json"),
            ("Authorization", &bearer),
        ];
        let path = format!("POST {}", place.strip_prefix(&own).unwrap());
        let (_, said) = tools.answer(&path, &headers, &asked.to_string());
        assert!(said.contains("there is no tool"), "{said}");
    }
    still_waits(&world);
}

/// What another clone says of a change, against the approvers of the branch that it is to go to.
struct Elsewhere {
    clone: World,
}

impl Elsewhere {
    /// The protected branch is as it was at this commit.
    fn of(world: &World, protected: &str) -> Self {
        let remote = world.at("agent/remote.git").display().to_string();
        world.git(&[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=main",
            &remote,
        ]);
        world.git(&["remote", "add", "origin", &remote]);
        let main = format!("{protected}:refs/heads/main");
        let records = "refs/proofhouse/*:refs/proofhouse/*";
        world.git(&[
            "push",
            "--quiet",
            "origin",
            &main,
            "HEAD:refs/heads/change",
            records,
        ]);
        let clone = World::empty();
        let to = clone.path().to_str().unwrap().to_owned();
        clone.git(&["clone", "--quiet", &remote, &to]);
        clone.git(&["checkout", "--quiet", "--detach", "origin/change"]);
        says(&clone, &["records", "fetch"]).exits(0);
        Self { clone }
    }

    fn audited(&self) -> Said {
        says(
            &self.clone,
            &["audit", "--ci", "--covers", "origin/main..HEAD"],
        )
    }

    /// The codes of what it finds, after this was done to the run's journal.
    fn finds(&self, change: impl Fn(&mut Vec<Value>)) -> Vec<String> {
        let folder = self.clone.at(".proofhouse/journal");
        let file = folder.join(format!("{RUN}.jsonl"));
        let honest = std::fs::read(&file).unwrap();
        rewrite(&folder, RUN, |entries| {
            let mut all: Vec<Value> = entries
                .iter()
                .map(|one| json!({ "kind": one.kind, "at": one.at, "body": one.body }))
                .collect();
            change(&mut all);
            let entry = |one: &Value| store::Entry {
                at: serde_json::from_value(one["at"].clone()).unwrap(),
                kind: one["kind"].as_str().unwrap().to_owned(),
                body: one["body"].clone(),
            };
            all.iter().map(entry).collect()
        });
        let said = self.audited().exits(1);
        std::fs::write(&file, honest).unwrap();
        codes(&said)
    }
}

fn codes(said: &Said) -> Vec<String> {
    let facts = said.json();
    let runs = facts["runs"].as_array().unwrap().clone();
    let findings = runs
        .iter()
        .flat_map(|run| run["findings"].as_array().unwrap().clone());
    findings
        .map(|one| one["code"].as_str().unwrap().to_owned())
        .collect()
}

fn decision(records: &mut [Value]) -> &mut Value {
    let mut records = records.iter_mut();
    &mut records
        .find(|one| one["kind"] == "decided.v1" && one["body"]["option"] == "approve")
        .unwrap()["body"]
}

#[test]
fn what_a_guest_forges_is_found_on_another_clone() {
    let world = world();
    let protected = world.git(&["rev-parse", "HEAD"]);
    drop(worked(&world));
    decides(&world, "approve").exits(0);
    says(&world, &["run", RUN]).exits(0);
    // A journal that was edited does not even land here.
    let place = format!(".proofhouse/journal/{RUN}.jsonl");
    let honest = world.read(&place);
    world.rewrite(RUN, |mut entries| {
        let mut decided = entries.iter_mut().filter(|one| one.kind == "decided.v1");
        let approved = decided.find(|one| one.body["option"] == "approve");
        approved.unwrap().body["channel"] = "terminal".into();
        entries
    });
    says(&world, &["land", RUN]).refuses(1, "evidence_altered");
    world.write(&place, &honest);
    says(&world, &["land", RUN]).exits(0);
    let elsewhere = Elsewhere::of(&world, &protected);
    assert_eq!(codes(&elsewhere.audited().exits(0)), [""; 0]);
    let says =
        |codes: &[String], code: &str| assert!(codes.iter().any(|one| one == code), "{codes:?}");
    // A decision that somebody typed.
    let found = elsewhere.finds(|records| {
        let body = decision(records);
        body["channel"] = "terminal".into();
        body.as_object_mut().unwrap().remove("signature");
    });
    says(&found, "unsigned_decision");
    // The signature of another decision: the words are others by their chain alone.
    let found =
        elsewhere.finds(|records| records[0]["body"]["fields"]["Request"] = "another".into());
    says(&found, "forged_decision");
    let found = elsewhere.finds(|records| decision(records)["who"] = "bob@example.org".into());
    says(&found, "forged_decision");
    // A run that hides its guest, and with it what its decisions must be.
    let found = elsewhere.finds(|records| {
        let body = records[0]["body"].as_object_mut().unwrap();
        body.remove("unconfined");
        body.remove("signers");
    });
    says(&found, "guest_uninvited");
}

#[test]
fn a_guest_that_lists_itself_is_unknown_on_another_clone() {
    let world = world();
    let protected = world.git(&["rev-parse", "HEAD"]);
    // Whoever has the account can commit, and this machine believes it.
    let own = Authenticator::of(8);
    world.write(APPROVERS, &format!("{}\n", own.line("ann@example.org")));
    world.git(&["add", "--force", APPROVERS]);
    world.commit("innocent");
    drop(worked(&world));
    decides_by(&own, &world, "approve").exits(0);
    says(&world, &["run", RUN]).exits(0);
    says(&world, &["land", RUN]).exits(0);
    let elsewhere = Elsewhere::of(&world, &protected);
    let found = codes(&elsewhere.audited().exits(1));
    assert!(found.contains(&"forged_decision".to_owned()), "{found:?}");
    // Nor without a change to look at, whoever stands on the protected branch.
    elsewhere
        .clone
        .git(&["checkout", "--quiet", "--detach", "origin/main"]);
    for more in [&["audit", RUN][..], &["audit", RUN, "--ci"]] {
        let said = says(&elsewhere.clone, more).exits(1);
        assert!(
            said.out.contains("forged_decision"),
            "{more:?}: {}",
            said.out
        );
    }
}

#[test]
fn a_key_file_that_is_listed_signs_for_nobody_in_a_guests_run() {
    let world = world();
    // Beside the passkey, a key file is listed: good for other runs.
    let passkey = world.read(APPROVERS);
    let key = world.approver("bob");
    let file = world.read(APPROVERS);
    world.write(APPROVERS, &format!("{passkey}{file}"));
    world.git(&["add", "--force", APPROVERS]);
    let protected = world.commit("bob");
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    writes(&folder, "src/total.sh", SUM);
    writes(&folder, "tests/cases", "one|5|5\ntwo|1 2|3\n");
    client.does("hand_in", handed_in(&attempt));
    let signed = [&DECIDE[..], &["--sign", key.to_str().unwrap()]].concat();
    says(&world, &signed).refuses(1, "touch_required");
    still_waits(&world);
    // Put into the journal all the same, it is found.
    let message = says(&world, &[&DECIDE[..], &["--message"]].concat()).exits(0);
    world.write("agent/words", &message.out);
    let mut sign = Command::new("ssh-keygen");
    sign.args(["-q", "-Y", "sign", "-n", "proofhouse-decision", "-f"]);
    let made = sign
        .arg(&key)
        .arg(world.at("agent/words"))
        .output()
        .unwrap();
    assert!(made.status.success());
    let signature = world.read("agent/words.sig");
    decides(&world, "approve").exits(0);
    says(&world, &["run", RUN]).exits(0);
    says(&world, &["land", RUN]).exits(0);
    let elsewhere = Elsewhere::of(&world, &protected);
    assert_eq!(codes(&elsewhere.audited().exits(0)), [""; 0]);
    let found = elsewhere.finds(|records| {
        let body = decision(records);
        body["because"] = "fine".into();
        body["who"] = "bob@example.org".into();
        body["signature"] = signature.trim().into();
    });
    assert!(found.contains(&"forged_decision".to_owned()), "{found:?}");
}
