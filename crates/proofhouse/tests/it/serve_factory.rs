//! A project of the factory in the browser: its tasks drawn, a module, a debate, a question with the form of each
//! answer, and that a passkey gives one there.

use crate::factory_people::halting;
use crate::factory_run::{FIRST, SECOND, script, started};
use crate::passkey::Authenticator;
use crate::product::{began, drafts};
use crate::serve::{Served, key_of, part, serve};
use crate::support::World;
use serde_json::{Value, json};

#[test]
fn a_released_project_has_its_tasks_drawn_and_a_page_for_each_module_and_debate() {
    let world = started(&script());
    world.run(&["factory", "run", "p"]).exits(0);
    let served = serve(&world, &[]);
    let at = format!("/r/{}/run/p/", key_of(&served));

    let page = served.listen(&at, "").next().2;
    let tasks = part(&page, "tasks");
    assert_eq!(tasks.matches("class=\"shipped\"").count(), 2, "{tasks}");
    assert!(tasks.contains("2 tasks: 2 shipped."), "{tasks}");
    // The second stands below the first, which it needs: a line that was gone leads to it.
    let below = tasks.find(FIRST).unwrap() < tasks.find(SECOND).unwrap();
    assert!(below && tasks.contains("class=\"been\""), "{tasks}");
    assert!(
        tasks.contains("It needs"),
        "said, and not only drawn: {tasks}"
    );
    assert!(
        tasks.contains(&format!("href=\"task/{SECOND}/\"")),
        "{tasks}"
    );
    assert!(part(&page, "modules").contains("href=\"module/MM-label/1.0.0/\""));
    assert!(part(&page, "product").contains("href=\"spec/\""));

    // What was said, round by round: the challenge that failed, and the ship that was refused.
    let page = served.listen(&format!("{at}task/{FIRST}/"), "").next().2;
    let said = part(&page, "debates");
    assert_eq!(said.matches("<h4>Round").count(), 2, "{said}");
    assert!(
        said.contains("the module turns a line into its parts"),
        "{said}"
    );
    let order: Vec<usize> = [
        "<b>Proposer",
        "tried it: it holds",
        "<b>Challenger",
        "FAIL",
        "Round 2",
    ]
    .iter()
    .map(|word| said.find(word).unwrap_or_else(|| panic!("{word}: {said}")))
    .collect();
    assert!(order.is_sorted(), "{order:?} {said}");
    assert!(
        said.contains("refuse it with Malformed"),
        "what would mend it: {said}"
    );
    assert!(said.contains("R3 Error handling completeness"), "{said}");
    assert!(said.contains("APPROVE") && said.contains("every criterion is met"));
    let page = served.listen(&format!("{at}task/{SECOND}/"), "").next().2;
    let said = part(&page, "debates");
    assert!(said.contains("it does not hold"), "{said}");
    assert!(part(&page, "what").contains(&format!("../../task/{FIRST}/")));

    // A module: contract, tests with the clauses that they show, users, versions, its seal.
    let page = served
        .listen(&format!("{at}module/MM-moment/1.0.0/"), "")
        .next()
        .2;
    assert!(part(&page, "head").contains("as it was tested"), "{page}");
    let contract = part(&page, "contract");
    assert!(
        contract.contains("line: &amp;str") && contract.contains("not empty"),
        "{contract}"
    );
    let tests = part(&page, "tests");
    assert!(tests.contains("4 tests of 4 passed"), "{tests}");
    assert!(
        tests.contains("parts: the moment comes first"),
        "the clause: {tests}"
    );
    assert!(part(&page, "users").contains("MM-label@1.0.0"), "{page}");
    assert!(
        part(&page, "origin").contains("implementation/lib.rs"),
        "{page}"
    );
    // Without a version it is the newest.
    let newest = served
        .listen(&format!("{at}module/MM-moment/"), "")
        .next()
        .2;
    assert_eq!(part(&newest, "tests"), tests);
    for none in [
        "module/MM-none/",
        "module/MM-moment/9.9.9/",
        "task/T-none/",
        "question/ESC-0/",
    ] {
        let page = served.listen(&format!("{at}{none}"), "").next().2;
        assert!(page.to_string().contains("no_such_page"), "{none}: {page}");
    }

    // The index leads to it, from the repository's shelf and from the person's.
    let found = served.listen("/index/?q=splits+a%20line", "").next().2;
    let place = format!("{at}module/MM-moment/1.0.0/");
    for shelf in ["shelf-0", "shelf-1"] {
        let shelf = part(&found, shelf);
        let first = shelf.split("<li>").nth(1).unwrap_or_default();
        assert!(first.contains(&place), "{found}");
        assert!(first.contains("of 100"), "{found}");
    }
    assert!(
        part(&found, "field").contains("value=\"splits a line\""),
        "{found}"
    );
    let all = served.listen("/index/", "").next().2;
    assert_eq!(part(&all, "shelf-0").matches("<li>").count(), 2, "{all}");
    // Every page stands in a frame that leads there, and to what waits.
    let host = served.host();
    let (_, frame) = served.answer("GET /r/any/run/p/", &[("Host", &host)], "");
    for place in ["/index/", "/inbox/"] {
        assert!(frame.contains(&format!("href=\"{place}\"")), "{frame}");
    }

    // What lies there is not what was tested any more.
    let place = ".proofhouse/state_store/modules/MM-moment/1.0.0/implementation/lib.rs";
    std::fs::remove_file(world.at(place)).unwrap();
    world.write(place, "// nothing\n");
    let again = serve(&world, &[]);
    let page = again
        .listen(&format!("{at}module/MM-moment/1.0.0/"), "")
        .next()
        .2;
    assert!(
        part(&page, "head").contains("not as it was tested"),
        "{page}"
    );
}

#[test]
fn a_question_shows_the_form_of_each_answer_and_a_passkey_gives_one() {
    let world = started(&halting());
    world.run(&["factory", "run", "p"]).exits(2);
    let shows = serve(&world, &[]);
    let at = format!("/r/{}/run/p/", key_of(&shows));
    let page = shows.listen(&at, "").next().2;
    assert!(part(&page, "tasks").contains("class=\"halted\""), "{page}");
    let ask = part(&page, "ask");
    let id = ask.split("question/").nth(1).unwrap();
    let id = id.split('/').next().unwrap().to_owned();
    let page = shows.listen(&format!("{at}question/{id}/"), "").next().2;
    let ways = part(&page, "answers");
    assert_eq!(ways.matches("<details class=\"way\"").count(), 6, "{ways}");
    assert_eq!(ways.matches("recommended").count(), 1, "{ways}");
    assert!(!ways.contains("<form"), "it only shows: {ways}");
    // What each needs, and a command that can be copied as it is.
    for wanted in [
        "amended_acceptance_criteria",
        "cat &gt; split_task.json &lt;&lt;'END'",
        &format!("proofhouse resolve {id} --action SPLIT_TASK --payload split_task.json"),
        "revised_micro_plan",
        "fix_artifacts",
    ] {
        assert!(ways.contains(wanted), "{wanted}: {ways}");
    }
    assert!(part(&page, "why").contains("blank"), "{page}");

    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let at = format!("/r/{key}/run/p/");
    let mut heard = served.listen(&format!("{at}question/{id}/"), "");
    let page = heard.next().2;
    assert!(part(&page, "answers").contains("Enrol yours"), "{page}");
    let passkey = enrolled(&world, &served);
    let page = heard.next().2;
    let ways = part(&page, "answers");
    assert_eq!(ways.matches("<form class=\"decide\"").count(), 6, "{ways}");
    let head = ways.split("data-head=\"").nth(1).unwrap();
    let head = head.split('"').next().unwrap().to_owned();

    let body = |head: &str, option: &str, filled: Value| {
        json!({"repo": key, "run": "p", "head": head, "about": id, "option": option,
            "because": "the blank is not worth it", "filled": filled})
    };
    let words = |body: &Value| served.sends("/words", &body.to_string());
    let amend = json!({"amended_acceptance_criteria": "it splits a line\nit says what was wrong", "amendment_rationale": "simpler"});
    let refused = |body: Value| words(&body).1["code"].as_str().unwrap().to_owned();
    assert_eq!(
        refused(body("00", "AMEND_SPEC", amend.clone())),
        "page_outdated"
    );
    assert_eq!(refused(body(&head, "RELEASE", json!({}))), "not_offered");
    // What the machine would refuse, nobody is asked to sign.
    let lacking = json!({"amendment_rationale": "simpler"});
    assert!(refused(body(&head, "AMEND_SPEC", lacking)).starts_with("payload_"));
    let odd = json!({"new_tasks": "{"});
    assert_eq!(refused(body(&head, "SPLIT_TASK", odd)), "payload_malformed");

    let asked = body(&head, "AMEND_SPEC", amend);
    let (status, said) = words(&asked);
    assert_eq!(status, 200, "{said}");
    assert!(said["text"].as_str().unwrap().contains(&id), "{said}");
    assert!(
        said["carries"]
            .as_str()
            .unwrap()
            .contains("it says what was wrong"),
        "{said}"
    );
    let origin = format!("http://localhost:{}", served.port);
    let decides = |asked: &Value| {
        let signed = passkey.decides(&said, &origin, "p", "AMEND_SPEC");
        let mut signed: Value = serde_json::from_str(&signed).unwrap();
        for (name, value) in asked.as_object().unwrap() {
            signed[name] = value.clone();
        }
        served.sends("/decide", &signed.to_string())
    };
    // Signed for these fields, and sent with others.
    let mut other = asked.clone();
    other["filled"]["amendment_rationale"] = json!("because I say so");
    assert_eq!(decides(&other).1["code"], "signature_invalid");
    let (status, done) = decides(&asked);
    assert_eq!(status, 200, "{done}");
    let record = world.read(".proofhouse/journal/p.jsonl");
    assert!(record.contains("it says what was wrong"), "{record}");
    assert!(record.contains("(passkey)"), "{record}");
    world.run(&["audit", "p"]).exits(0);
    // The page hears that it is answered, and by whom.
    let mut page = heard.next().2;
    while !part(&page, "head").contains("It is answered") {
        page = heard.next().2;
    }
    let head = part(&page, "head");
    assert!(head.contains("AMEND_SPEC") && head.contains("ann@example.org"));
}

/// A passkey that is listed, as it was enrolled at this server.
fn enrolled(world: &World, served: &Served) -> Authenticator {
    let passkey = Authenticator::new();
    let asked = json!({"name": "ann@example.org", "key": passkey.key()});
    let line = served.sends("/enrol", &asked.to_string()).1["line"].clone();
    let line = format!("{}\n", line.as_str().unwrap());
    world.write(".proofhouse/approvers", &line);
    passkey
}

#[test]
fn a_spec_is_read_with_its_warnings_beside_the_lines_and_approved_there() {
    let mut spec = crate::factory::spec(&[crate::factory::task(1, &[])]);
    spec["pillars"][0]["description"] = json!("short");
    spec["title"] = json!("Lines <b>of</b> text");
    let script = json!({"log": "agent.log", "attempt": [drafts(1, &spec.to_string(), &[])]});
    let world = began(&script);
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let at = format!("/r/{key}/run/p/spec/");
    let page = served.listen(&at, "").next().2;
    assert!(part(&page, "head").contains("not complete yet"), "{page}");
    world.run(&["factory", "run", "p"]).exits(2);
    let passkey = enrolled(&world, &served);
    let again = serve(&world, &["--decide"]);
    let page = again.listen(&at, "").next().2;
    assert!(part(&page, "head").contains("Lines &lt;b&gt;of"), "{page}");
    assert!(
        part(&page, "head").contains("waits for your word"),
        "{page}"
    );
    // The warning stands in the very line that it is about.
    let text = part(&page, "document");
    let line = text
        .split("<div class=\"line")
        .find(|one| one.contains("Warning: "));
    let line = line.unwrap_or_else(|| panic!("no warning: {text}"));
    assert!(line.contains("short") && line.contains("rule 11"), "{line}");
    assert!(part(&page, "answers").contains("proofhouse factory approve p"));

    let mut heard = served.listen(&at, "");
    let mut page = heard.next().2;
    while !part(&page, "answers").contains("<form") {
        page = heard.next().2;
    }
    let answers = part(&page, "answers");
    let value = |of: &str| {
        let rest = answers
            .split(of)
            .nth(1)
            .unwrap_or_else(|| panic!("{of}: {answers}"));
        rest.split('"').next().unwrap().to_owned()
    };
    let (head, hash) = (value("data-head=\""), value("data-name=\"spec\" value=\""));
    let asked = |spec: &str| {
        json!({"repo": key, "run": "p", "head": head, "about": "spec", "option": "APPROVE",
            "because": "read it", "filled": {"spec": spec}})
    };
    let (_, said) = served.sends("/words", &asked("00").to_string());
    assert_eq!(said["code"], "spec_changed", "another spec: {said}");
    let (_, said) = served.sends("/words", &asked(&hash).to_string());
    assert!(said["text"].as_str().unwrap().contains(&hash), "{said}");
    let origin = format!("http://localhost:{}", served.port);
    let signed = passkey.decides(&said, &origin, "p", "APPROVE");
    let mut signed: Value = serde_json::from_str(&signed).unwrap();
    for (name, value) in asked(&hash).as_object().unwrap() {
        signed[name] = value.clone();
    }
    let (status, done) = served.sends("/decide", &signed.to_string());
    assert_eq!(status, 200, "{done}");
    // The page hears of it, and asks no more.
    while !part(&page, "head").contains("approved") {
        page = heard.next().2;
    }
    assert_eq!(part(&page, "answers"), "", "{page}");
    world.run(&["audit", "p"]).exits(0);
}
