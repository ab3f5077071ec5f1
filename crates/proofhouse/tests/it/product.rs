//! The product loop through the real binary: from a SPEC.md to an approved spec, with drafts that
//! are not complete, a person who rejects, amends and approves, edits behind our back, and kills.

use crate::factory::{spec, task};
use crate::factory_run::toml;
use crate::support::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use testkit::model_server::{Call, ModelServer, Script, Turn};

const DRAFT: &str = "repo/state_store/product/draft/spec.json";
const SPEC_MD: &str = "# Lines\n\nA tool that splits lines. It must be small.\n";

pub(crate) fn drafts(nth: u32, text: &str, checks: &[&str]) -> Value {
    let mut steps: Vec<Value> = checks
        .iter()
        .map(|check| json!({"run": check, "must": true}))
        .collect();
    steps.push(json!({"wait": 0.02}));
    steps.push(json!({"write": DRAFT, "text": text}));
    json!({"state": "specify", "attempt": nth, "steps": steps, "result": {
        "summary": "drafted", "sources": ["a book on lines"],
    }})
}

pub(crate) fn good(title: &str) -> String {
    let mut spec = spec(&[task(1, &[]), task(2, &["TSK-001"])]);
    spec["title"] = json!(title);
    spec.to_string()
}

/// An incomplete draft, a good one, a fresh one after the rejection, and one per amendment.
pub(crate) fn script() -> Value {
    let mut broken = spec(&[task(1, &["TSK-009"])]);
    broken["pillars"][0]["rationale"] = json!("TBD");
    let here = "state_store/product";
    let first = format!(
        "grep -q small {here}/given/SPEC.md && test -f {here}/given/with/notes.md && test ! -e {here}/draft/spec.json"
    );
    let second = format!(
        "grep -q TSK-009 {here}/draft/spec.json && grep -q TSK-009 {here}/deficiencies.json"
    );
    let fresh = format!(
        "test ! -e {here}/draft && grep -q '## Rejection Feedback' {here}/given/SPEC.md && grep -q 'too big' {here}/given/SPEC.md && test -f {here}/given/with/notes.md && test ! -e {here}/spec.json"
    );
    let amended = format!("grep -q Third {here}/draft/spec.json");
    json!({"log": "agent.log", "attempt": [
        drafts(1, &broken.to_string(), &[&first]),
        drafts(2, &good("Second"), &[&second]),
        drafts(3, &good("Third"), &[&fresh]),
        drafts(4, &good("Fourth"), &[&amended]),
        {"state": "micro_plan", "result": {"modules": []}},
    ]})
}

pub(crate) fn began(script: &Value) -> World {
    let world = World::new();
    world.write("SPEC.md", SPEC_MD);
    world.write("notes.md", "Lines end in a newline.\n");
    world.write("agent/script.toml", &toml(script));
    world.write(".gitignore", "agent/\n");
    world
        .run(&[
            "factory",
            "new",
            "SPEC.md",
            "--with",
            "notes.md",
            "--name",
            "p",
            "--agent",
            "scripted:agent/script.toml",
        ])
        .exits(0);
    world
}

pub(crate) fn review(world: &World) -> Value {
    world
        .run(&["factory", "review", "p", "--json"])
        .exits(0)
        .json()
}

#[test]
fn s3_2_a_spec_is_drafted_judged_rejected_amended_approved_and_becomes_tasks() {
    let world = began(&script());
    let said = world.run(&["factory", "run", "p"]).exits(2);
    assert!(said.out.contains("spec_complete"), "{}", said.out);
    let shown = review(&world);
    assert_eq!(shown["at"], "shown");
    assert_eq!(shown["spec"]["title"], "Second");
    let page = world.read(".proofhouse/state_store/product/spec.md");
    assert_eq!(page, shown["page"].as_str().unwrap());
    assert!(
        page.contains("## Warnings") && page.contains("a book on lines (named by the agent"),
        "{page}"
    );

    let key = world.approver("ann").display().to_string();
    let signed = |args: &[&str]| {
        let mut all = vec!["factory"];
        all.extend(args);
        all.extend(["--sign", &key]);
        world.run(&all)
    };
    world
        .run(&["factory", "approve", "p"])
        .refuses(1, "signature_required");
    signed(&["reject", "p", "--reasons", "  "]).refuses(1, "payload_member_empty");
    signed(&["reject", "p", "--reasons", "too big"]).exits(0);
    signed(&["approve", "p"]).refuses(1, "spec_not_shown");
    world.run(&["factory", "run", "p"]).exits(2);
    let third = review(&world);
    assert_eq!(third["spec"]["title"], "Third");
    signed(&["amend", "p", "--feedback", "call it Fourth"]).exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    let fourth = review(&world);
    assert_eq!(fourth["spec"]["title"], "Fourth");
    assert_eq!(fourth["amends"], 1);

    // Of another spec than the one that was read, or of one that somebody edited: no.
    let hash = third["sha256"].as_str().unwrap();
    signed(&["approve", "p", "--spec", hash]).refuses(1, "spec_changed");
    let place = ".proofhouse/state_store/product/spec.json";
    let bytes = world.read(place);
    world.write(place, &bytes.replace("Fourth", "Fifth"));
    signed(&["approve", "p"]).refuses(1, "spec_changed");
    world
        .run(&["factory", "review", "p"])
        .refuses(1, "spec_changed");
    std::fs::remove_file(world.at(place)).unwrap();
    assert_eq!(review(&world)["sha256"], fourth["sha256"]);
    assert!(!world.at(".proofhouse/project").exists());

    let hash = fourth["sha256"].as_str().unwrap();
    signed(&["approve", "p", "--spec", hash, "--because", "fine"]).exits(0);
    let status = world
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = status["state_machine"]["tasks"].as_object().unwrap();
    assert_eq!(tasks.len(), 2);
    assert_eq!(status["state_machine"]["project_id"], "SPEC-001");
    let file = std::fs::read_dir(world.at(".proofhouse/project"))
        .unwrap()
        .count();
    assert!(file > 0);
    signed(&["approve", "p"]).refuses(1, "spec_not_shown");
    let audited = world.run(&["audit", "--json"]).exits(0);
    assert!(audited.out.contains("\"p\""), "{}", audited.out);
}

/// What must be the same however often it was killed.
fn essence(world: &World) -> Value {
    let shown = review(world);
    let log = world.read("agent/agent.log");
    let finished = log.lines().filter(|line| line.starts_with("finish "));
    json!([
        shown["sha256"],
        shown["at"],
        shown["sources"],
        finished.count()
    ])
}

#[test]
fn s15_5_a_kill_at_any_moment_of_the_product_loop_pays_for_no_draft_twice() {
    let calm = began(&script());
    calm.run(&["factory", "run", "p"]).exits(2);
    let want = essence(&calm);
    assert_eq!(
        want[3], 2,
        "one draft that was refused, and one that was not"
    );
    let killed = began(&script());
    for lines in [1, 2, 3, 5] {
        let mut child = killed
            .command(&["factory", "run", "p"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let seen = out.by_ref().take(lines).count();
        child.kill().unwrap();
        out.for_each(drop);
        child.wait().unwrap();
        assert!(seen > 0);
    }
    killed.run(&["factory", "run", "p"]).exits(2);
    assert_eq!(essence(&killed), want);

    // The decision is what survives, and a second one is refused.
    let key = killed.approver("ann").display().to_string();
    let approve = ["factory", "approve", "p", "--sign", &key];
    killed.run(&approve).exits(0);
    killed.run(&approve).refuses(1, "spec_not_shown");
    let mut child = killed
        .command(&["factory", "run", "p"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let status = killed
        .run(&["factory", "status", "p", "--json"])
        .exits(0)
        .json();
    let tasks = status["state_machine"]["tasks"].as_object().unwrap();
    assert_eq!(tasks.len(), 2);
}

#[test]
fn s3_2_3_an_agent_that_never_completes_it_is_asked_five_times_and_then_a_person_is() {
    let script = json!({"log": "agent.log", "attempt": [
        {"state": "specify", "steps": [{"write": DRAFT, "text": "{\"spec_id\": 7}"}], "result": {"summary": "it is perfect"}},
    ]});
    let world = began(&script);
    world.run(&["factory", "run", "p"]).exits(2);
    let log = world.read("agent/agent.log");
    let asked = log
        .lines()
        .filter(|line| line.starts_with("finish "))
        .count();
    assert_eq!(asked, 5);
    let review = review(&world);
    assert_eq!(review["at"], "spent");
    let wrong = review["deficiencies"].as_array().unwrap();
    assert!(wrong.len() > 3, "{review}");
    assert_eq!(
        review["options"],
        json!(["REJECT", "AMEND", "retry", "stop"])
    );
    let key = world.approver("ann").display().to_string();
    world
        .run(&["factory", "approve", "p", "--sign", &key])
        .refuses(1, "spec_not_shown");
    world.run(&["factory", "run", "p"]).exits(2);
    assert_eq!(world.read("agent/agent.log"), log, "waiting costs nothing");
}

#[test]
fn factory_new_refuses_what_it_cannot_use_and_writes_nothing() {
    let world = World::new();
    world.write("SPEC.md", SPEC_MD);
    world.write("empty.md", " \n");
    std::fs::write(world.at("binary.md"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::create_dir_all(world.at("other")).unwrap();
    world.write("other/SPEC.md", "again");
    world.write(
        "key.md",
        &format!("use sk-ant-{}", "api03-abcdefghijabcdefghij"),
    );
    let agent = ["--agent", "scripted:none.toml"];
    for (args, code) in [
        (&["missing.md"][..], "no_such_file"),
        (&["empty.md"], "document_empty"),
        (&["binary.md"], "document_not_text"),
        (&["other"], "document_not_text"),
        (&["key.md"], "document_holds_key"),
        (&["SPEC.md", "--with", "missing.md"], "no_such_file"),
        (
            &["SPEC.md", "--with", "SPEC.md", "--with", "other/SPEC.md"],
            "document_name_twice",
        ),
        (&["SPEC.md", "--budget", "luck=7"], "unknown_budget"),
        (&["SPEC.md", "--name", "a/b"], "bad_run_name"),
    ] {
        let mut all = vec!["factory", "new"];
        all.extend(args);
        all.extend(agent);
        world.run(&all).refuses(1, code);
        assert!(!world.at(".proofhouse/journal").exists(), "{args:?}");
    }
    world.run(&["factory", "review"]).refuses(1, "no_project");
}

/// Every piece of evidence, with its place.
fn vault(world: &World) -> Vec<(std::path::PathBuf, String)> {
    let folders = std::fs::read_dir(world.at(".proofhouse/evidence")).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let folders = folders.filter(|folder| folder.is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    files
        .map(|file| {
            let bytes = std::fs::read(&file).unwrap();
            (file, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

#[test]
fn s3_2_a_key_in_a_draft_or_a_note_never_reaches_the_vault_and_its_draft_can_be_mended() {
    let key = format!("sk-ant-{}", "api03-abcdefghijabcdefghij");
    let here = "state_store/product/draft";
    let mut held = drafts(1, &good(&format!("Held {key}")), &[]);
    let note = json!({"write": format!("repo/{here}/notes.md"), "text": format!("note {key}")});
    held["steps"].as_array_mut().unwrap().push(note);
    let still = format!("grep -q 'Held sk-ant' {here}/spec.json");
    let world = began(&json!({"log": "agent.log", "attempt": [
        held,
        drafts(2, &good("Mended"), &[&still]),
        drafts(3, &good("Fresh"), &[&format!("test ! -e {here}")]),
    ]}));
    let said = world.run(&["factory", "run", "p"]).exits(2);
    assert!(said.out.contains("looks like a key"), "{}", said.out);
    assert_eq!(review(&world)["spec"]["title"], "Mended");
    let signer = world.approver("ann").display().to_string();
    world
        .run(&[
            "factory",
            "reject",
            "p",
            "--reasons",
            "again",
            "--sign",
            &signer,
        ])
        .exits(0);
    world.run(&["factory", "run", "p"]).exits(2);
    assert_eq!(review(&world)["spec"]["title"], "Fresh");
    let kept = vault(&world);
    for begins in ["note [", "{"] {
        let redacted = |text: &str| text.starts_with(begins) && text.contains("redacted");
        assert!(kept.iter().any(|(_, text)| redacted(text)), "{begins}");
    }
    for (path, text) in kept {
        assert!(!text.contains(&key), "{}", path.display());
    }
    world.run(&["audit", "p"]).exits(0);
}

#[test]
fn the_audit_looks_at_the_documents_that_a_person_began_with() {
    let world = began(&script());
    world.run(&["audit", "p"]).exits(0);
    let kept = vault(&world);
    let (notes, _) = kept
        .iter()
        .find(|(_, text)| text.contains("Lines end in a newline"))
        .unwrap();
    let (spec, _) = kept.iter().find(|(_, text)| text == SPEC_MD).unwrap();
    std::fs::remove_file(notes).unwrap();
    std::fs::remove_file(spec).unwrap();
    std::fs::write(spec, "# Lines\n\nIt may be large.\n").unwrap();
    let said = world.run(&["audit", "p", "--json"]).exits(1);
    for code in ["evidence_missing", "evidence_corrupt"] {
        assert!(said.out.contains(code), "{code}: {}", said.out);
    }
}

/// A search service that finds one page for everything, and remembers what it was asked.
fn search_service(listener: TcpListener, asked: usize) -> Vec<String> {
    let mut heads = Vec::new();
    for stream in listener.incoming().take(asked) {
        let mut stream = stream.unwrap();
        let mut head = String::new();
        let mut byte = [0];
        while !head.ends_with("\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
            head.push(char::from(byte[0]));
        }
        let found = json!({"results": (0..20).map(|n| json!({
            "url": format!("https://lines.example/{n}"), "title": "On lines", "content": "They end.",
        })).collect::<Vec<_>>()});
        let body = found.to_string();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        heads.push(head);
    }
    heads
}

/// A model that searches, validates a draft, emits a bad spec, and then a good one.
fn researcher() -> ModelServer {
    let mut broken = spec(&[task(1, &[])]);
    broken["pillars"][0]["epics"] = json!([]);
    let good: Value = serde_json::from_str(&good("Researched")).unwrap();
    ModelServer::start(Script::new([
        Turn::call(Call::tool(
            "web_search",
            json!({"query": "how lines end & why"}),
        )),
        Turn::call(Call::tool(
            "search_code_index",
            json!({"query": "splits lines", "tags": null}),
        )),
        Turn::call(Call::tool(
            "write",
            json!({"path": DRAFT, "content": broken.to_string()}),
        )),
        Turn::call(Call::tool("validate_spec", json!({"spec_path": DRAFT}))),
        Turn::call(Call::tool("emit_structured_spec", json!({"spec": broken}))),
        Turn::calls([
            Call::tool("emit_structured_spec", json!({"spec": good})),
            Call::tool("write", json!({"path": DRAFT, "content": "too late"})),
        ]),
    ]))
    .unwrap()
}

pub(crate) fn with_model(server: &ModelServer, config: &str) -> World {
    let world = World::new();
    world.write("SPEC.md", SPEC_MD);
    world.write(".gitignore", "agent/\n");
    world.write("agent/xdg/proofhouse/config.toml", config);
    let agent = format!("openai-chat:local@{}/v1", server.url());
    world
        .run(&[
            "factory", "new", "SPEC.md", "--name", "p", "--agent", &agent,
        ])
        .exits(0);
    world
}

/// What the tools answered, as the model was told.
pub(crate) fn answers(server: &ModelServer) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().unwrap().body["messages"].clone();
    let tools = messages.as_array().unwrap().iter();
    let tools = tools.filter(|message| message["role"] == "tool");
    tools
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn s3_2_1_a_model_works_with_the_six_tools_and_emitting_ends_its_work() {
    let server = researcher();
    let world = with_model(&server, "");
    let said = world.run(&["factory", "run", "p"]).exits(2);
    let answers = answers(&server);
    assert_eq!(server.requests().len(), 6, "{}", said.out);
    assert!(
        answers[0].contains("web_search is not configured"),
        "{answers:?}"
    );
    assert!(answers[0].contains("search.provider"), "{answers:?}");
    assert!(
        answers[1].contains("nothing has been shipped yet"),
        "{answers:?}"
    );
    let report: Value = serde_json::from_str(&answers[3]).unwrap();
    assert_eq!(report["errors"][0]["rule"], 1, "{report}");
    for member in ["path", "field", "severity", "message"] {
        assert!(report["errors"][0][member].is_string(), "{report}");
    }
    assert!(
        answers[4].contains("the spec is not complete"),
        "{answers:?}"
    );
    let shown = review(&world);
    assert_eq!(shown["spec"]["title"], "Researched");
    assert_eq!(shown["sources"], json!([]), "nothing was searched");
    let offered = server.requests()[0].body["tools"].to_string();
    for name in [
        "read",
        "write",
        "web_search",
        "validate_spec",
        "search_code_index",
        "emit_structured_spec",
    ] {
        assert!(offered.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn s3_2_1_every_query_and_page_of_web_search_is_on_record_and_shown_at_the_gate() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = std::thread::spawn(move || search_service(listener, 1));
    let server = researcher();
    let world = with_model(
        &server,
        &format!("[search]\nprovider = \"searxng\"\nurl = \"{url}\"\n"),
    );
    world.run(&["factory", "run", "p"]).exits(2);
    let heads = service.join().unwrap();
    assert!(
        heads[0].starts_with("GET /search?format=json&q=how%20lines%20end%20%26%20why HTTP"),
        "{heads:?}"
    );
    let found: Value = serde_json::from_str(&answers(&server)[0]).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 10, "ten at the most");
    assert_eq!(
        found[0],
        json!({"url": "https://lines.example/0", "title": "On lines", "snippet": "They end."})
    );
    let shown = review(&world);
    let sources = shown["sources"].to_string();
    assert!(
        sources.contains("web_search: how lines end & why"),
        "{sources}"
    );
    assert!(
        sources.contains("https://lines.example/9 (On lines)"),
        "{sources}"
    );
    assert!(
        shown["page"]
            .as_str()
            .unwrap()
            .contains("https://lines.example/0")
    );

    // A repository may not say where a key goes, and the network setting binds this tool as well.
    world.write(
        ".proofhouse/config.toml",
        "[search]\nprovider = \"tavily\"\n",
    );
    let key = world.approver("ann").display().to_string();
    world
        .run(&[
            "factory",
            "amend",
            "p",
            "--feedback",
            "more",
            "--sign",
            &key,
        ])
        .exits(0);
    world
        .run(&["factory", "run", "p"])
        .refuses(1, "setting_not_for_repository");
}

#[test]
fn s3_2_1_a_search_stays_within_what_agents_may_talk_to() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = researcher();
    let world = with_model(
        &server,
        &format!(
            "[search]\nprovider = \"searxng\"\nurl = \"{url}\"\n[network]\nagents = \"none\"\n"
        ),
    );
    world.run(&["factory", "run", "p"]).exits(2);
    let answers = answers(&server);
    assert!(
        answers[0].contains("web_search is not allowed"),
        "{answers:?}"
    );
    assert!(listener.accept().is_err(), "nobody came");
    let nowhere = with_model(&server, "[search]\nprovider = \"searxng\"\n");
    nowhere
        .run(&["factory", "run", "p"])
        .refuses(1, "search_without_url");
}
