//! What each real agent is put through.

use super::cast::Real;
use crate::connectors::{Build, Entry, Root, Scenario, judge, meet, table};
use crate::world::{AMPLE, World, transcript};
use agents::Order;
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Cancel;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use testkit::model_server::{Call, ModelServer, Script, Turn};

/// A folder for the events of each case, to make fixtures of.
const RECORD: &str = "PROOFHOUSE_REAL_AGENTS_RECORD";

fn turns() -> Vec<Turn> {
    vec![
        Turn::call(Call::Write {
            path: "hello.txt".into(),
            text: "hello\n".into(),
        }),
        Turn::call(Call::Shell("wc -l < hello.txt > ran.txt".into())),
        Turn::text("All done.\n```json\n{\"summary\":\"made hello\"}\n```"),
        Turn::text("Again.\n{\"summary\":\"went on\"}"),
    ]
}

fn record(home: &Path, name: &str) {
    if let Some(folder) = std::env::var_os(RECORD) {
        let to = Path::new(&folder).join(format!("{name}.jsonl"));
        let _ = fs::copy(home.join("events.jsonl"), to);
    }
}

fn edits_runs_and_goes_on(name: &str, moves: Session, build: &Build<'_>) {
    let world = World::new();
    let server = ModelServer::start(Script::new(turns()).root(world.path("view/repo")));
    let server = server.expect("a server");
    let agent = build(&world, &server.url());
    let order = world.order();
    let reply = agent.run(&order, &Cancel::new(), &|line| println!("{name}: {line}"));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    record(&order.home, name);
    assert_eq!(world.read("view/repo/hello.txt"), "hello\n");
    assert_eq!(world.read("view/repo/ran.txt").trim(), "1");
    assert_eq!(reply.result, Some(json!({"summary": "made hello"})));
    assert!(reply.usage.input_tokens >= 3000, "{:?}", reply.usage);
    assert!(reply.usage.output_tokens >= 150, "{:?}", reply.usage);
    let mut recovered = agent.recover(&order).expect("it had ended");
    recovered.transcript.clone_from(&reply.transcript);
    assert_eq!(recovered, reply);

    // As the engine does it: the view moves to the next attempt's folder.
    let session = reply.session.clone().expect("a session");
    fs::create_dir_all(world.path("second")).expect("a folder");
    let view = match moves {
        Session::Moves | Session::MovesNextMinute => world.path("second/view"),
        Session::Stays => world.path("view"),
    };
    if moves == Session::MovesNextMinute {
        std::thread::sleep(std::time::Duration::from_secs(61));
    }
    if moves != Session::Stays {
        fs::rename(world.path("view"), &view).expect("the view moves");
    }
    let order = Order {
        view,
        home: world.path("second"),
        continues: Some(session),
        ..order
    };
    let again = agent.run(&order, &Cancel::new(), &|_| {});
    assert_eq!(again.class, Class::Done, "{}", transcript(&again));
    record(&order.home, &format!("{name}-went-on"));
    match moves {
        // It leaves a turn out of the history, so the script says the turn before.
        Session::MovesNextMinute => assert_eq!(again.session, reply.session),
        Session::Moves | Session::Stays => {
            assert_eq!(again.result, Some(json!({"summary": "went on"})));
        }
    }
    assert!(again.usage.input_tokens < 2500, "{:?}", again.usage);
}

/// What keeps a role that may only read from editing.
#[derive(Clone, Copy)]
enum Hold {
    /// Even its shell cannot write.
    Writing,
    /// Its editing tools are gone; a shell still writes, which the tree's hash shows.
    Tools(&'static [&'static str]),
}

/// Does a session survive that its view moves?
#[derive(Clone, Copy, PartialEq)]
enum Session {
    Moves,
    /// As an ACP agent, Gemini overwrites a session that it loads within the minute of its birth.
    MovesNextMinute,
    Stays,
}

fn is_kept_from_editing(name: &str, hold: Hold, build: &Build<'_>) {
    let world = World::new();
    let server = ModelServer::start(Script::new(turns()).root(world.path("view/repo")));
    let server = server.expect("a server");
    let order = Order {
        access: Access::ReadOnly,
        ..world.order()
    };
    let reply = build(&world, &server.url()).run(&order, &Cancel::new(), &|_| {});
    record(&order.home, &format!("{name}-read-only"));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    match hold {
        Hold::Writing => assert!(!world.path("view/repo/hello.txt").exists(), "{name} wrote"),
        Hold::Tools(gone) => {
            let requests = server.requests();
            let bodies = requests.iter().map(|request| request.body.to_string());
            for (body, tool) in
                bodies.flat_map(|body| gone.iter().map(move |tool| (body.clone(), tool)))
            {
                assert!(
                    !body.contains(&format!("\"name\":\"{tool}\"")),
                    "{name} offers {tool}"
                );
            }
        }
    }
}

fn meets_a_wrong_key(name: &str, build: &Build<'_>) {
    let world = World::new();
    let body = json!({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}});
    let server = ModelServer::start(Script::new(vec![Turn::status(401).body(body)]));
    let server = server.expect("a server");
    let order = Order {
        wall: AMPLE,
        ..world.order()
    };
    let reply = build(&world, &server.url()).run(&order, &Cancel::new(), &|_| {});
    record(&order.home, &format!("{name}-401"));
    assert_eq!(
        reply.class,
        Class::Auth,
        "{}\n{}",
        reply.reason,
        transcript(&reply)
    );
}

/// The same work under the policy that a run gives: its view, its result, its model's address.
fn works_confined(name: &str, build: &Build<'_>) {
    let world = World::new();
    fs::write(world.path("secret.txt"), "outside").expect("a file");
    let server = ModelServer::start(Script::new(turns()).root(world.path("view/repo")));
    let server = server.expect("a server");
    fs::create_dir_all(world.path("home/out")).expect("a folder");
    let mut policy = sandbox::Policy::confined(
        Vec::<PathBuf>::new(),
        [world.path("view"), world.path("home/out")],
    );
    policy.network =
        sandbox::Network::Endpoints(vec![sandbox::Endpoint::new("127.0.0.1", server.port())]);
    let order = Order {
        policy: Some(policy),
        ..world.order()
    };
    let agent = build(&world, &server.url());
    let reply = agent.run(&order, &Cancel::new(), &|line| {
        println!("{name}, confined: {line}")
    });
    assert_eq!(
        reply.class,
        Class::Done,
        "{}\n{}",
        reply.reason,
        transcript(&reply)
    );
    let ran = fs::read_to_string(world.path("view/repo/ran.txt"));
    assert!(
        ran.is_ok_and(|ran| ran.trim() == "1"),
        "{}",
        transcript(&reply)
    );
    assert_eq!(world.read("view/repo/hello.txt"), "hello\n");
}

/// All of it.
pub(super) fn all(real: Real, agents: &Path) {
    let name = real.name();
    let build = |world: &World, url: &str| real.build(agents, world, url);
    let (session, hold) = match real {
        Real::Claude | Real::Codex | Real::CodexApp => (Session::Moves, Hold::Writing),
        Real::Gemini => (Session::Moves, Hold::Tools(&["write_file", "replace"])),
        Real::Opencode => (Session::Stays, Hold::Tools(&["write", "edit"])),
        Real::Pi => (Session::Moves, Hold::Tools(&["write", "edit"])),
        Real::Acp => (Session::MovesNextMinute, Hold::Writing),
    };
    edits_runs_and_goes_on(name, session, &build);
    is_kept_from_editing(name, hold, &build);
    meets_a_wrong_key(name, &build);
    works_confined(name, &build);
    if real == Real::CodexApp {
        for access in [Access::Edit, Access::ReadOnly] {
            asks_before_an_edit(access, &build);
        }
    }
}

/// The same table that the stand-ins are held to: they must not be kinder than the agents are.
pub(super) fn meets_the_table(real: Real, agents: &Path) {
    let name = real.name();
    let mut wrong = Vec::new();
    for scenario in Scenario::ALL {
        let Entry::Cell(cell) = &table()[name][scenario.name()] else {
            continue;
        };
        let met = meet(scenario, Root::Whole, &|world, url| {
            real.build(agents, world, url)
        });
        record(
            &met.world.path("home"),
            &format!("{name}-{}", scenario.name()),
        );
        let (reply, place) = (&met.reply, format!("{name} x {}", scenario.name()));
        let requests = met.requests.len();
        println!(
            "{place}: {} ({}) {:?} after {requests} requests, wait {:?}",
            reply.class.as_str(),
            reply.reason,
            reply.usage,
            reply.retry_after
        );
        let mut faults = judge(cell, scenario, &met);
        if let Some(gives_up) = cell.gives_up.as_ref().filter(|_| !faults.is_empty()) {
            let others = judge(gives_up, scenario, &met);
            match others.is_empty() {
                true => faults.clear(),
                false => faults.extend(others),
            }
        }
        wrong.extend(faults.iter().map(|fault| format!("{place}: {fault}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Codex takes a patch out of a shell command and asks about it as an edit.
fn asks_before_an_edit(access: Access, build: &Build<'_>) {
    let world = World::new();
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch\nEOF";
    let turns = vec![
        Turn::call(Call::Shell(patch.into())),
        Turn::text("{\"summary\":\"patched\"}"),
    ];
    let server = ModelServer::start(Script::new(turns).root(world.path("view/repo")));
    let server = server.expect("a server");
    let order = Order {
        access,
        ..world.order()
    };
    let reply = build(&world, &server.url()).run(&order, &Cancel::new(), &|_| {});
    record(&order.home, &format!("codex-app-patch-{access:?}"));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    let asked = transcript(&reply).contains("item/fileChange/requestApproval");
    assert!(asked, "{}", transcript(&reply));
    let there = world.path("view/repo/patched.txt").exists();
    assert_eq!(there, access == Access::Edit);
}
