//! What a newcomer sees of questions on pages: the change that they are about, what may be ended though nothing is
//! asked, who is waited for, and only commands that can answer.

use crate::guest::{Client, RUN, taken, worked};
use crate::passkey::Authenticator;
use crate::play::text;
use crate::serve::{Served, key_of, part, serve};
use crate::support::{HONEST, World, says};
use serde_json::{Value, json};

/// Lists a passkey that was enrolled at this page.
fn enrolled(world: &World, served: &Served) -> Authenticator {
    let passkey = Authenticator::new();
    let asked = json!({ "name": "ann@example.org", "key": passkey.key() }).to_string();
    let (_, said) = served.sends("/enrol", &asked);
    let line = said["line"].as_str().unwrap();
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    passkey
}

/// A person signs on the page: it shows what `inbox` shows, also before a gate has let anything pass.
#[test]
fn a_question_before_any_gate_shows_the_change_that_it_is_about() {
    let world = crate::quick::world();
    let asks = text("quick/happy.toml").replacen(
        "result = { summary = \"totals are sums\" }",
        "result = { summary = \"the old tests are wrong\", next = \"change_tests\" }",
        1,
    );
    world.write("agent/script.toml", &asks);
    let begin = ["do", "make totals of carts", "--name", "t", "--agent"];
    let said = says(
        &world,
        &[&begin[..], &["scripted:agent/script.toml"]].concat(),
    );
    let said = said.exits(2);
    assert!(
        said.out.contains("some of it has passed no gate yet"),
        "{}",
        said.out
    );
    let served = serve(&world, &[]);
    let path = format!("/r/{}/run/t/", key_of(&served));
    let page = served.listen(&path, "").next().2;
    let change = part(&page, "change");
    for shown in [
        "src/total.sh",
        "tests/cases",
        "Some of it has passed no gate yet.",
        "to what lies in the run's tree.",
    ] {
        assert!(change.contains(shown), "no `{shown}` in {change}");
    }
    assert!(!change.contains("Nothing, so far."), "{change}");
    let head = part(&page, "head");
    assert!(
        head.contains("Files changed</dt><dd><a href=\"#change\">2"),
        "{head}"
    );
    // The page that is kept in a file says the same, and a record of the past what was committed by then.
    let report = says(&world, &["status", "t", "--json"]).exits(0).json();
    let kept = report["evidence"].as_str().unwrap();
    let kept = kept.strip_prefix("file://").unwrap_or(kept);
    let kept = std::fs::read_to_string(kept).unwrap_or_else(|error| panic!("{kept}: {error}"));
    assert!(
        kept.contains("Some of it has passed no gate yet."),
        "{kept}"
    );
    let last = world.journal().len();
    let then = served.listen(&format!("{path}at/{last}/"), "").next().2;
    assert!(part(&then, "change").contains("Nothing, so far."), "{then}");
}

#[test]
fn a_run_that_asks_nothing_is_ended_by_a_passkey() {
    let world = World::new();
    world.start(HONEST, &[]);
    let shows = serve(&world, &[]);
    let key = key_of(&shows);
    let path = format!("/r/{key}/run/t/");
    let page = shows.listen(&path, "").next().2;
    let end = part(&page, "end");
    assert!(end.contains("proofhouse abandon t"), "{end}");
    assert!(!end.contains("<form"), "{end}");
    let served = serve(&world, &["--decide"]);
    let passkey = enrolled(&world, &served);
    let mut run = served.listen(&path, "");
    let mut end = part(&run.next().2, "end").to_owned();
    while !end.contains("value=\"stop\"") {
        end = part(&run.next().2, "end").to_owned();
    }
    assert!(!end.contains("go_on"), "nothing goes on: {end}");
    let head = world.status()["head"]["hash"].as_str().unwrap().to_owned();
    // Nothing else is offered there.
    assert_eq!(served.words(&key, "approve", &head)["code"], "not_offered");
    let words = served.words(&key, "stop", &head);
    assert!(
        words["text"].as_str().unwrap().contains("option 4: stop"),
        "{words}"
    );
    let origin = format!("http://localhost:{}", served.port);
    let mut body: Value =
        serde_json::from_str(&passkey.decides(&words, &origin, "t", "stop")).unwrap();
    (body["repo"], body["head"]) = (json!(key), json!(head));
    let (status, said) = served.sends("/decide", &body.to_string());
    assert_eq!(status, 200, "{said}");
    assert_eq!(world.status()["activity"], "stopped");
    // What is over is not ended again.
    let head = world.status()["head"]["hash"].as_str().unwrap().to_owned();
    assert_eq!(served.words(&key, "stop", &head)["code"], "not_offered");
    let page = served.listen(&path, "").next().2;
    assert_eq!(part(&page, "end"), "", "{page}");
    world.run(&["audit"]).exits(0);
}

#[test]
fn a_guest_who_has_not_come_is_waited_for_on_the_first_page_and_in_status() {
    let world = crate::guest::world();
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let served = serve(&world, &["--decide"]);
    let mut home = served.listen("/", "");
    let mut page = home.next().2;
    while page["title"] != "One run waits for a guest" {
        page = home.next().2;
    }
    let waits = served.listen("/", "").next().2;
    assert!(part(&waits, "guests").contains(RUN), "{waits}");
    let said = says(&world, &["status"]).exits(0);
    assert!(said.out.contains("waiting for a guest"), "{}", said.out);
    taken(&client.does("take", json!({})));
    while page["title"] != "Nothing waits for you" {
        page = home.next().2;
    }
    let works = served.listen("/", "").next().2;
    assert!(part(&works, "working").contains(RUN), "{works}");
    let said = says(&world, &["status"]).exits(0);
    assert!(!said.out.contains("waiting for a guest"), "{}", said.out);
}

/// A command without a signature is refused there: none is shown.
#[test]
fn a_guests_run_names_its_page_and_no_command_that_cannot_answer() {
    let world = crate::guest::world();
    let _client = worked(&world);
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let inbox = served.listen("/inbox/", "").next().2;
    assert!(
        part(&inbox, "head").contains("and your passkey answers there."),
        "{inbox}"
    );
    assert!(!part(&inbox, "head").contains("serve --decide"), "{inbox}");
    let asked = part(&inbox, "inbox");
    let link = asked.find(&format!("href=\"/r/{key}/run/{RUN}/#ask\""));
    let command = asked.find(" --signature FILE");
    assert!(link.is_some() && link < command, "{asked}");
    let run = served.listen(&format!("/r/{key}/run/{RUN}/"), "").next().2;
    for shown in [asked, part(&run, "ask")] {
        let commands = shown.split("proofhouse decide ").skip(1);
        for command in commands {
            let line = command.split('<').next().unwrap();
            assert!(line.contains("--signature FILE"), "{line}");
        }
    }
    assert!(part(&run, "ask").contains("your passkey signs"), "{run}");
    let audit = served.listen(&format!("/r/{key}/audit"), "").next().2;
    let found = part(&audit, "findings");
    assert!(
        found.contains("not_confined") && found.contains("note: "),
        "{audit}"
    );
    // A server that only shows says where the answer is given.
    let shows = serve(&world, &[]);
    let inbox = shows.listen("/inbox/", "").next().2;
    assert!(
        part(&inbox, "inbox").contains("proofhouse serve --decide"),
        "{inbox}"
    );
}

#[test]
fn a_passkey_is_enrolled_before_a_question_needs_one() {
    let world = World::new();
    let served = serve(&world, &["--decide"]);
    let page = served.listen("/", "").next().2;
    let people = part(&page, "people");
    assert!(people.contains("Enrol yours"), "{page}");
    let place = people.split("href=\"").nth(1).unwrap();
    let place = place.split('"').next().unwrap().to_owned();
    let enrol = served.listen(&place, "").next().2;
    assert!(part(&enrol, "enrol").contains("Make a passkey"), "{enrol}");
    let settings = place.replace("/enrol", "/settings");
    let settings = served.listen(&settings, "").next().2;
    for shown in ["ways", "link"] {
        let shown = part(&settings, shown);
        assert!(shown.contains(&format!("href=\"{place}\"")), "{settings}");
    }
    enrolled(&world, &served);
    let lacks = || {
        let page = served.listen("/", "").next().2;
        part(&page, "people").contains("Enrol yours")
    };
    while lacks() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // A server that only shows leads to no page that it has not.
    let shows = serve(&world, &[]);
    let page = shows.listen("/", "").next().2.to_string();
    assert!(!page.contains("/enrol"), "{page}");
}

/// No agent is set: what is said of who works is what `do` would do.
#[test]
fn the_first_page_says_who_would_work() {
    let world = World::new();
    let start = |world: &World| {
        let served = serve(world, &["--decide"]);
        let page = served.listen("/", "").next().2;
        part(&page, "start").to_owned()
    };
    let said = start(&world);
    assert!(said.contains("no agent is set"), "{said}");
    assert!(!said.contains("the agent that is installed"), "{said}");
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n",
    );
    let said = start(&world);
    assert!(said.contains("scripted:agent/script.toml works"), "{said}");
}
