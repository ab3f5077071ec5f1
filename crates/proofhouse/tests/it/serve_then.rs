//! What a person makes of the past on the page: a run is led back to a commit by a passkey, or left at a record in a
//! new one; and the present, in whole: all that is said by whoever works.

use crate::passkey::Authenticator;
use crate::serve::{key_of, part, serve};
use crate::support::{CHECK, HONEST, TASK, World, says};
use serde_json::{Value, json};
use std::io::Write;

/// The run `t` in a tree of its own, up to the question whether it is good.
fn waiting() -> World {
    let world = World::of_ann();
    world.approver("ann");
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "t", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    world
}

/// The records with which the run made a commit.
fn commits(world: &World) -> Vec<u64> {
    let mut all = world.journal();
    all.retain(|one| one["kind"] == "checkpoint_ended.v1" && one["body"]["commit"].is_string());
    all.iter().map(|one| one["seq"].as_u64().unwrap()).collect()
}

#[test]
fn a_run_is_led_back_from_the_page_by_a_passkey() {
    let world = waiting();
    let served = serve(&world, &["--decide"]);
    let (key, passkey) = (key_of(&served), Authenticator::new());
    let origin = format!("http://localhost:{}", served.port);
    let asked = json!({ "name": "bob@example.org", "key": passkey.key() }).to_string();
    let (_, said) = served.sends("/enrol", &asked);
    let listed = world.read(".proofhouse/approvers");
    let line = said["line"].as_str().unwrap();
    world.write(".proofhouse/approvers", &format!("{listed}{line}\n"));
    let back = commits(&world)[0];
    // The run's page leads there, and the page of a record that is no commit says why not.
    let run = served.listen(&format!("/r/{key}/run/t/"), "").next().2;
    let last = commits(&world).pop().unwrap();
    assert!(
        part(&run, "now").contains(&format!("at/{last}/#from")),
        "{run}"
    );
    let other = served.listen(&format!("/r/{key}/run/t/at/{}/", back + 1), "");
    let other = { other }.next().2;
    let from = part(&other, "from");
    assert!(from.contains("is no commit of the run"), "{from}");
    assert!(!from.contains("form class=\"decide\""), "{from}");
    let page = served.listen(&format!("/r/{key}/run/t/at/{back}/"), "");
    let page = { page }.next().2;
    let from = part(&page, "from");
    assert!(from.contains("form class=\"decide\""), "{from}");
    assert!(
        from.contains(&format!("proofhouse rewind t --at {back}")),
        "{from}"
    );
    // What is signed names the record and the commit.
    let head = says(&world, &["status", "t", "--json"]).exits(0).json();
    let head = head["head"]["hash"].as_str().unwrap().to_owned();
    let because = "looked at it";
    let ask = |about: &str, option: &str, because: &str| {
        let body = json!({ "repo": key, "run": "t", "head": head, "about": about,
            "option": option, "because": because, "filled": {} });
        served.sends("/words", &body.to_string())
    };
    let (status, words) = ask(&back.to_string(), "rewind", because);
    assert_eq!(status, 200, "{words}");
    let text = words["text"].as_str().unwrap();
    assert!(
        text.contains(&format!("back to record {back}, commit ")),
        "{text}"
    );
    assert!(words["carries"].as_str().unwrap().contains("\"commit\""));
    // Nobody is asked to sign what would be refused.
    for (about, option) in [("1", "rewind"), ("x", "rewind"), ("7", "approve")] {
        assert_eq!(ask(about, option, because).0, 400, "{about} {option}");
    }
    let signed = passkey.decides(&words, &origin, "t", "rewind");
    let mut body: Value = serde_json::from_str(&signed).unwrap();
    (body["repo"], body["head"], body["about"]) =
        (json!(key), json!(head), json!(back.to_string()));
    // The same signature for another record is none.
    let mut elsewhere = body.clone();
    elsewhere["about"] = json!(last.to_string());
    let (status, said) = served.sends("/decide", &elsewhere.to_string());
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("signature_invalid")),
        "{said}"
    );
    let (status, said) = served.sends("/decide", &body.to_string());
    assert_eq!(status, 200, "{said}");
    let journal = world.journal();
    assert_eq!(journal.last().unwrap()["kind"], "rewound.v1");
    says(&world, &["audit", "t"]).exits(0);
}

#[test]
fn a_run_is_left_from_the_page_of_a_record() {
    let world = waiting();
    let last = *commits(&world).last().unwrap();
    let ask = |name: &str, at: u64, key: &str| {
        json!({ "repo": key, "run": "t", "at": at, "name": name, "agent": "" }).to_string()
    };
    let shows = serve(&world, &[]);
    let key = key_of(&shows);
    let (status, said) = shows.sends("/fork", &ask("other", last, &key));
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("page_only_shows"))
    );
    let place = format!("/r/{key}/run/t/at/{last}/");
    let from = shows.listen(&place, "").next().2;
    let from = part(&from, "from");
    assert!(
        from.contains(&format!("proofhouse fork t --at {last}")),
        "{from}"
    );
    assert!(!from.contains("<form"), "{from}");
    let served = serve(&world, &["--decide"]);
    let from = served.listen(&place, "").next().2;
    assert!(
        part(&from, "from").contains("form class=\"fork\""),
        "{from}"
    );
    let whole = world.read(".proofhouse/journal/t.jsonl");
    let (status, said) = served.sends("/fork", &ask("other", last, &key));
    assert_eq!(status, 200, "{said}");
    assert_eq!(said["address"], format!("/r/{key}/run/other/"));
    assert_eq!(world.read(".proofhouse/journal/t.jsonl"), whole);
    let page = served.listen(&format!("/r/{key}/run/other/"), "").next().2;
    assert!(part(&page, "head").contains("other"), "{page}");
    // Why there is no fork is said with what to do, on the page and to whoever asks all the same.
    let first = served.listen(&format!("/r/{key}/run/t/at/1/"), "").next().2;
    assert!(part(&first, "from").contains("From here"), "{first}");
    let (status, said) = served.sends("/fork", &ask("other", last, &key));
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("run_exists")),
        "{said}"
    );
}

/// A record of a project of the factory is a page like the project's own, and no JSON.
#[test]
fn a_project_is_shown_as_it_was() {
    let world = crate::factory_run::started(&crate::factory_people::halting());
    world.run(&["factory", "run", "p"]).exits(2);
    let served = serve(&world, &[]);
    let key = key_of(&served);
    let now = served.listen(&format!("/r/{key}/run/p/"), "").next().2;
    assert!(
        part(&now, "now").contains("Step through its records"),
        "{now}"
    );
    let page = served.listen(&format!("/r/{key}/run/p/at/3/"), "").next().2;
    assert!(
        part(&page, "banner").contains("As of record 3 of"),
        "{page}"
    );
    assert!(part(&page, "head").contains("Tasks shipped"), "{page}");
    let text = page.to_string();
    assert!(!text.contains("waiting_for"), "{text}");
    // Its links lead from where it stands.
    let tasks = part(&page, "tasks");
    assert!(tasks.contains("href=\"../../task/"), "{tasks}");
}

#[test]
fn all_that_is_said_right_now_is_a_page_that_grows() {
    let world = World::new();
    world.start(&format!("{}{HONEST}", crate::crash::hangs("intake")), &[]);
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let body = json!({ "repo": key, "run": "t" }).to_string();
    assert_eq!(served.sends("/go_on", &body).0, 200);
    let mut run = served.listen(&format!("/r/{key}/run/t/"), "");
    while !run.next().2.to_string().contains("framer works in intake") {}
    let say = |lines: std::ops::Range<usize>| {
        let path = world.at(".proofhouse/work/t/now");
        let mut file = std::fs::File::options().append(true).open(path).unwrap();
        for line in lines {
            writeln!(file, "e0001 line <{line}>").unwrap();
        }
    };
    say(0..450);
    let mut now = String::new();
    while !now.contains("line &lt;449&gt;") {
        let page = run.next().2;
        now = part(&page, "now").to_owned();
    }
    assert!(!now.contains("line &lt;3&gt;"), "{now}");
    assert!(now.contains("href=\"now/\""), "{now}");
    let mut whole = served.listen(&format!("/r/{key}/run/t/now/"), "");
    let page = whole.next().2;
    let all = page.to_string();
    for line in [0, 3, 449] {
        assert!(
            all.contains(&format!("line &lt;{line}&gt;")),
            "{line}: {all}"
        );
    }
    // What stands there already is not sent again.
    say(450..451);
    let mut more = whole.next().2;
    while !more.to_string().contains("line &lt;450&gt;") {
        more = whole.next().2;
    }
    assert_eq!(more["parts"].as_array().unwrap().len(), 1, "{more}");
    assert_eq!(served.sends("/stop", &body).0, 200);
    let mut over = whole.next().2.to_string();
    while !over.contains("Nobody works on it right now") {
        over = whole.next().2.to_string();
    }
}
