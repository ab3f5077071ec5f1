//! Every connector in the same scenarios: one table (`tests/data/connectors.toml`), one way to
//! play a cell of it, one judgement. API models are asked directly; coding agents are played by
//! testkit's stand-in, which speaks the agent's own protocol to us and its provider's to a
//! scripted server, so that every fault happens on a wire. The opt-in tests hold the real agents
//! to the same table.

mod caps;
mod cast;
mod scenario;
mod table;

pub(crate) use scenario::{SECRET, Scenario};
pub(crate) use table::{Cell, Counted, Entry, table};

use crate::fake::coding;
use crate::world::{AMPLE, World, transcript};
use agents::{Agent, Order, Reply};
use kernel::outcome::Class;
use sandbox::Cancel;
use std::fs;
use std::path::Path;
use std::time::Duration;
use testkit::model_server::{ModelServer, Request};

/// What one cell left.
pub(crate) struct Met {
    pub(crate) world: World,
    pub(crate) reply: Reply,
    pub(crate) requests: Vec<Request>,
}

/// Builds a connector for a world and the address of its model's server.
pub(crate) type Build<'a> = dyn Fn(&World, &str) -> Box<dyn Agent> + 'a;

/// Where the paths of a script lead: an agent names files by whole paths, our own tools below the
/// view.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    Whole,
    View,
}

/// Plays one scenario, under the policy that a run gives: the view, the result's folder, the
/// model's server, and nothing else.
pub(crate) fn meet(scenario: Scenario, root: Root, build: &Build<'_>) -> Met {
    meet_within(scenario, root, build, |world, port| Order {
        // More than any idle limit of these tests.
        wall: AMPLE * 2,
        policy: Some(policy(world, port)),
        ..world.order()
    })
}

fn policy(world: &World, port: u16) -> sandbox::Policy {
    let mut policy = sandbox::Policy::confined(
        [cast::readable()],
        [world.path("view"), world.path("home/out")],
    );
    policy.network = sandbox::Network::Endpoints(vec![sandbox::Endpoint::new("127.0.0.1", port)]);
    policy
}

/// [`meet`], under an order of the test's own.
pub(crate) fn meet_within(
    scenario: Scenario,
    root: Root,
    build: &Build<'_>,
    order: impl Fn(&World, u16) -> Order,
) -> Met {
    let world = World::new();
    fs::write(world.path("outside.txt"), SECRET).expect("a secret");
    fs::create_dir_all(world.path("home/out")).expect("a folder");
    let root = match root {
        Root::Whole => world.path("view/repo").display().to_string(),
        Root::View => "repo".to_owned(),
    };
    let server = ModelServer::start(scenario.script(&world, &root)).expect("a server");
    let order = order(&world, server.port());
    let reply = build(&world, &server.url()).run(&order, &Cancel::new(), &|_| {});
    let requests = server.requests();
    Met {
        world,
        reply,
        requests,
    }
}

/// Every way in which what was met is not what the cell says.
pub(crate) fn judge(cell: &Cell, scenario: Scenario, met: &Met) -> Vec<String> {
    let reply = &met.reply;
    let mut wrong = Vec::new();
    let mut differs = |what: &str, found: String, expected: String| {
        if found != expected {
            wrong.push(format!("{what} is {found}, expected {expected}"));
        }
    };
    differs(
        "the class",
        reply.class.as_str().to_owned(),
        cell.class.clone(),
    );
    let usage = reply.usage;
    for (what, found, expected) in [
        ("input", usage.input_tokens, cell.input),
        ("output", usage.output_tokens, cell.output),
        ("micro_dollars", usage.micro_dollars, cell.micro_dollars),
    ] {
        match cell.counted {
            Counted::Exactly => differs(what, found.to_string(), expected.to_string()),
            Counted::Estimated if found > expected => {}
            Counted::Estimated => differs(what, found.to_string(), format!("over {expected}")),
        }
    }
    let wait = reply.retry_after.map(|wait| wait.as_secs());
    differs(
        "retry_after",
        format!("{wait:?}"),
        format!("{:?}", cell.retry_after),
    );
    let result = reply
        .result
        .as_ref()
        .map(|result| result["summary"].clone());
    let expected = (cell.class == "done").then(|| serde_json::json!("made a file"));
    differs("the result", format!("{result:?}"), format!("{expected:?}"));
    let written: Vec<(String, String)> = files(&met.world.path("view/repo"))
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let expected = scenario.written().iter();
    let expected = expected.map(|(path, text)| (path.to_string(), text.to_string()));
    let expected: Vec<(String, String)> = expected.collect();
    differs(
        "the repository",
        format!("{written:?}"),
        format!("{expected:?}"),
    );
    // Some agents have several words for one fault, and capital letters in some of them.
    let reason = reply.reason.to_lowercase();
    if !reason.contains(&cell.says.to_lowercase()) {
        wrong.push(format!("the reason does not say {:?}", cell.says));
    }
    wrong.extend(leaks(met));
    wrong
}

/// Where something of outside of the view came in: no file of the view, no request to the model
/// and nothing that is kept of the attempt may hold it.
fn leaks(met: &Met) -> Vec<String> {
    let mut found = Vec::new();
    let view = files(&met.world.path("view"));
    let kept = files(&met.world.path("home"));
    let sent = met.requests.iter().enumerate();
    let sent = sent.map(|(n, request)| (format!("request {n}"), request.body.to_string()));
    let told = [
        ("the reason".to_owned(), met.reply.reason.clone()),
        ("the result".to_owned(), format!("{:?}", met.reply.result)),
        ("the transcript".to_owned(), transcript(&met.reply)),
    ];
    for (place, text) in view.into_iter().chain(kept).chain(sent).chain(told) {
        if text.contains(SECRET) {
            found.push(format!("what lies outside of the view is in {place}"));
        }
    }
    if fs::read_to_string(met.world.path("outside.txt")).is_ok_and(|text| text != SECRET) {
        found.push("a file outside of the view was changed".to_owned());
    }
    found
}

/// The files below a folder with their texts, in order.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.push((name.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

/// What a connector is built for: a scenario, and how long it may be silent in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) scenario: Scenario,
    pub(crate) idle: Duration,
}

/// Builds a connector for one part.
pub(crate) type BuildFor<'a> = dyn Fn(Part, &World, &str) -> Box<dyn Agent> + 'a;

/// A silence that no test is meant to reach.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// Silences in seconds to wait for in vain, the next one if a slow machine was not yet there.
const SHORT: [u64; 3] = [2, 10, 50];

/// Plays every cell of a connector's row, and names all that is wrong at once.
pub(crate) fn row(name: &str, root: Root, build: &BuildFor<'_>) {
    let table = table();
    let mut wrong = Vec::new();
    for scenario in Scenario::ALL {
        let Entry::Cell(cell) = &table[name][scenario.name()] else {
            continue;
        };
        let (met, faults) = play(scenario, cell, root, build);
        if !faults.is_empty() {
            wrong.push(format!(
                "{name} x {}: {}\n  reason: {}\n{}",
                scenario.name(),
                faults.join("; "),
                met.reply.reason,
                transcript(&met.reply)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn play(scenario: Scenario, cell: &Cell, root: Root, build: &BuildFor<'_>) -> (Met, Vec<String>) {
    let waits = cell.class == Class::TimedOut.as_str();
    let mut idles = match waits {
        true => SHORT.map(Duration::from_secs).to_vec(),
        false => vec![LONG],
    }
    .into_iter()
    .peekable();
    loop {
        let idle = idles.next().expect("the last one ends the loop");
        let part = Part { scenario, idle };
        let met = meet(scenario, root, &|world, url| build(part, world, url));
        let faults = judge(cell, scenario, &met);
        // Silent because it had not even begun: the scenario was not met yet.
        let early = waits && met.reply.class == Class::TimedOut && met.requests.len() < 2;
        if faults.is_empty() || !early || idles.peek().is_none() {
            return (met, faults);
        }
    }
}

#[test]
fn without_a_policy_the_stand_in_takes_what_lies_outside() {
    // Else the cells of `outside` would prove nothing.
    let agent = coding("codex");
    let build: &Build<'_> = &|_, url| cast::played(agent.clone(), url, LONG);
    let free = |world: &World, _| world.order();
    let met = meet_within(Scenario::Outside, Root::Whole, build, free);
    let leaks = leaks(&met);
    let expected = ["stolen.txt", "request 1", "the transcript"];
    for place in expected {
        assert!(
            leaks.iter().any(|leak| leak.contains(place)),
            "{place}: {leaks:?}"
        );
    }
}
