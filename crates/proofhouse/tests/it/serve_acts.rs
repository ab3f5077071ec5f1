//! What a person does on the page beside deciding: lets a run go on, stops its engine, grants more of a budget,
//! reads what waits, and has an audit run again.

use crate::passkey::Authenticator;
use crate::serve::{key_of, part, serve};
use crate::support::{HONEST, World};
use serde_json::{Value, json};

#[test]
fn an_engine_is_started_and_stopped_from_the_page() {
    let world = World::new();
    world.start(&format!("{}{HONEST}", crate::crash::hangs("intake")), &[]);
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let body = json!({ "repo": key, "run": "t" }).to_string();
    // A server that only shows has no button, and does neither.
    let shows = serve(&world, &[]);
    let path = format!("/r/{key}/run/t/");
    let page = shows.listen(&path, "").next().2;
    assert!(!part(&page, "now").contains("form"), "{page}");
    for ask in ["/go_on", "/stop"] {
        let (status, said) = shows.sends(ask, &body);
        assert_eq!(
            (status, said["code"].as_str()),
            (400, Some("page_only_shows"))
        );
    }
    let mut run = served.listen(&path, "");
    let now = part(&run.next().2, "now").to_owned();
    assert!(now.contains("data-to=\"/go_on\""), "{now}");
    let (status, said) = served.sends("/go_on", &body);
    assert_eq!(status, 200, "{said}");
    let mut now = String::new();
    while !(now.contains("framer works in intake") && now.contains("data-to=\"/stop\"")) {
        let next = run.next().2;
        if !part(&next, "now").is_empty() {
            now = part(&next, "now").to_owned();
        }
    }
    let (status, said) = served.sends("/stop", &body);
    assert_eq!(status, 200, "{said}");
    let told = said["said"].as_str().unwrap();
    assert!(told.contains("has ended"), "{told}");
    let (_, said) = served.sends("/stop", &body);
    assert_eq!(said["said"], "nobody drives `t`");
    let journal = world.read(".proofhouse/journal/t.jsonl");
    assert!(journal.contains("effect_lost.v1"), "{journal}");
    let unknown = json!({ "repo": key, "run": "none" }).to_string();
    let (status, said) = served.sends("/stop", &unknown);
    assert_eq!((status, said["code"].as_str()), (400, Some("unknown_run")));
}

#[test]
fn a_budget_that_is_used_up_is_shown_and_extended_by_a_passkey() {
    let world = World::new();
    world.start(HONEST, &["--budget", "attempts=1"]);
    world.run(&["run", "t"]).exits(2);
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let passkey = Authenticator::new();
    let origin = format!("http://localhost:{}", served.port);
    let asked = json!({ "name": "ann@example.org", "key": passkey.key() }).to_string();
    let (_, said) = served.sends("/enrol", &asked);
    let line = said["line"].as_str().unwrap();
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    let mut run = served.listen(&format!("/r/{key}/run/t/"), "");
    let mut page = run.next().2;
    while !part(&page, "answer").contains("value=\"extend\"") {
        page = run.next().2;
    }
    let cost = served.listen(&format!("/r/{key}/run/t/"), "").next().2;
    let cost = part(&cost, "cost").to_owned();
    assert!(
        cost.contains("<b>Attempts</b> <span>1 of 1</span>"),
        "{cost}"
    );
    assert!(
        cost.contains("used up") && cost.contains("<b>Money</b>"),
        "{cost}"
    );
    let head = world.status()["head"]["hash"].as_str().unwrap().to_owned();
    let words = served.words(&key, "extend", &head);
    let body = passkey.decides(&words, &origin, "t", "extend");
    let mut body: Value = serde_json::from_str(&body).unwrap();
    (body["repo"], body["head"]) = (json!(key), json!(head));
    let (status, said) = served.sends("/decide", &body.to_string());
    assert_eq!(status, 200, "{said}");
    loop {
        let cost = run.next().2;
        let cost = part(&cost, "cost");
        if cost.contains("<b>Attempts</b> <span>1 of 2</span>") {
            assert!(!cost.contains("used up"), "{cost}");
            break;
        }
    }
}

#[test]
fn what_waits_is_read_in_whole_on_one_page() {
    let (world, other) = (World::new(), World::new());
    for one in [&world, &other] {
        one.start(HONEST, &["--autonomy", "conservative"]);
        one.run(&["run", "t"]).exits(2);
    }
    other.write(".proofhouse/journal/broken.jsonl", "{\n");
    let places = [world.path(), other.path()].map(|one| one.to_str().unwrap());
    let served = serve(&world, &["--repo", places[0], "--repo", places[1]]);
    let mut heard = served.listen("/inbox/", "");
    let page = heard.next().2;
    assert_eq!(page["title"], "3 things wait for you", "{page}");
    let inbox = part(&page, "inbox");
    assert_eq!(
        inbox.matches("proofhouse decide t approve").count(),
        2,
        "{inbox}"
    );
    assert!(inbox.contains("What to do:"), "{inbox}");
    // It is true when one of them has been answered.
    let person = world.approver("ann");
    world.decide(&person, "approve").exits(0);
    while heard.next().2["title"] != "2 things wait for you" {}
}

/// Every file that a run left can be read where its page links to it, and nothing else of its folder can.
#[test]
fn what_a_run_left_is_shown_where_its_page_links_to_it() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    world.write("tasks/t/artifacts/notes & more.txt", "<b>kept</b>\n");
    world.write("tasks/t/artifacts/seen.png", "a picture");
    let served = serve(&world, &[]);
    let path = format!("/r/{}/run/t/", key_of(&served));
    let page = served.listen(&path, "").next().2;
    let left = part(&page, "left");
    let links = left.split("href=\"").skip(1);
    let links: Vec<&str> = links.map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() >= 2, "{left}");
    for link in links {
        let shown = served.listen(&format!("{path}{link}"), "").next().2;
        let text = part(&shown, "text");
        let picture = part(&shown, "picture").contains("<img");
        assert!(picture || text.contains("<pre"), "{link}: {shown}");
        if link.ends_with("more.txt") {
            assert!(text.contains("&lt;b&gt;kept"), "{shown}");
        }
    }
    let host = served.host();
    let token = [
        ("Host", host.as_str()),
        ("X-Proofhouse-Token", &served.token),
    ];
    for other in ["../STATE.md", "%2e%2e/STATE.md", "nothing.txt", "STATE.md"] {
        let asked = format!("GET /live{path}{other}");
        assert_eq!(served.answer(&asked, &token, "").0, 404, "{other}");
    }
}

/// Evidence lies outside of what is watched: an audit that is asked for again looks again.
#[test]
fn an_audit_is_run_again_when_somebody_asks() {
    let world = World::new();
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(0);
    let served = serve(&world, &[]);
    let path = format!("/r/{}/audit", key_of(&served));
    let page = served.listen(&path, "").next().2;
    assert!(page.to_string().contains("clean"), "{page}");
    let link = part(&page, "link");
    let again = link.split("href=\"").nth(1).unwrap().split('"').next();
    let folder = world.at(".proofhouse/evidence");
    std::fs::remove_dir_all(folder).unwrap();
    let mut heard = served.listen(&format!("{path}{}", again.unwrap()), "");
    let page = heard.next().2;
    assert!(!page.to_string().contains("clean"), "{page}");
}

#[test]
fn tasks_of_a_milestone_stand_in_columns_and_in_the_queue() {
    let world = crate::waves::world();
    let tasks = [
        crate::waves::task("a", ""),
        crate::waves::task("b", "depends_on = [\"a\"]"),
    ];
    let head = "criteria = [\"it is nice\"]\n";
    crate::waves::milestone(&world, "m", head, &tasks);
    let served = serve(&world, &[]);
    let path = |key: &str| format!("/r/{key}/milestone/m");
    let home = served.listen("/", "").next().2.to_string();
    let key = home.split("/r/").nth(1).unwrap();
    let key = key.split(['/', '"', '\\']).next().unwrap();
    let mut heard = served.listen(&path(key), "");
    let page = heard.next().2;
    let shown = part(&page, "tasks");
    let ready = shown.find("<h3>Ready").unwrap();
    let later = shown.find("<h3>Needs others first").unwrap();
    assert!(later < shown.find(">b<").unwrap(), "{shown}");
    assert!(ready < shown.find(">a<").unwrap(), "{shown}");
    assert_eq!(part(&page, "queue"), "", "no wave is live: {page}");
    world.run(&["wave", "run", "m", "--jobs", "1"]).exits(2);
    let mut shown = String::new();
    while !shown.contains("<h3>Merged <span class=\"quiet\">2</span>") {
        let next = heard.next().2;
        if !part(&next, "tasks").is_empty() {
            shown = part(&next, "tasks").to_owned();
        }
    }
    assert!(shown.contains(&format!("/r/{key}/run/")), "{shown}");
    let page = served.listen(&path(key), "").next().2;
    assert!(part(&page, "criteria").contains("it is nice"), "{page}");
}
