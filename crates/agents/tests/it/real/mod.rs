//! The real coding agents, opt-in (`--features real-agents`): each makes one edit, runs one
//! command, goes on in a view that has moved, is kept from editing and meets a wrong key.
//!
//! No agent runs outside a network namespace that has loopback only: the test starts itself
//! again inside one, and the inner half refuses to go on if it sees any other interface.

mod install;

use crate::world::{AMPLE, World, transcript};
use agents::{Agent, AgentSpec, External, Order, Settings};
use kernel::effect::Access;
use kernel::outcome::Class;
use sandbox::Cancel;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::model_server::{Call, ModelServer, Script, Turn};

const INSIDE: &str = "PROOFHOUSE_REAL_AGENTS_INSIDE";
/// A folder for the events of each case, to make fixtures of.
const RECORD: &str = "PROOFHOUSE_REAL_AGENTS_RECORD";
const KEY: &str = "sk-fake-key-for-loopback-only";

/// Runs `check` inside a namespace with loopback only.
fn isolated(test: &str, check: impl FnOnce(&Path)) {
    let agents = install::folder();
    if std::env::var_os(INSIDE).is_some() {
        let devices = fs::read_to_string("/proc/net/dev").expect("the network devices");
        let others = devices
            .lines()
            .skip(2)
            .filter(|line| !line.trim().starts_with("lo:"));
        assert_eq!(others.count(), 0, "not alone:\n{devices}");
        return check(&agents);
    }
    install::install(&agents);
    let flags = match is_root() {
        true => "-n",
        false => "-rn",
    };
    let status = Command::new("unshare")
        .args([flags, "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
        .arg(std::env::current_exe().expect("this test"))
        .args([&format!("real::{test}"), "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .expect("unshare");
    assert!(status.success(), "{test} failed in its namespace");
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.is_some_and(|uid| uid.split_whitespace().nth(1) == Some("0"))
}

/// Builds the connector for one server; may prepare the agent's private home first.
type Build<'a> = dyn Fn(&World, &str) -> Box<dyn Agent> + 'a;

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

fn record(order: &Order, name: &str) {
    if let Some(folder) = std::env::var_os(RECORD) {
        let to = Path::new(&folder).join(format!("{name}.jsonl"));
        let _ = fs::copy(order.home.join("events.jsonl"), to);
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
    record(&order, name);
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
    record(&order, &format!("{name}-went-on"));
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
    record(&order, &format!("{name}-read-only"));
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
    record(&order, &format!("{name}-401"));
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

fn all(name: &str, session: Session, hold: Hold, build: &Build<'_>) {
    edits_runs_and_goes_on(name, session, build);
    is_kept_from_editing(name, hold, build);
    meets_a_wrong_key(name, build);
    works_confined(name, build);
}

fn external(agent: External, settings: Settings) -> Box<dyn Agent> {
    let spec = AgentSpec::External { agent, settings };
    spec.build().expect("an agent")
}

fn settings(program: &Path, model: &str, env: &[(&str, &str)]) -> Settings {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Settings {
        program: Some(program.display().to_string()),
        model: Some(model.to_owned()),
        env: env.iter().map(owned).collect(),
        ..Settings::default()
    }
}

#[test]
fn claude() {
    isolated("claude", |agents| {
        all("claude", Session::Moves, Hold::Writing, &|_, url| {
            let env = [("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_API_KEY", KEY)];
            let program = install::claude(agents);
            external(External::Claude, settings(&program, "claude-fake", &env))
        });
    });
}

#[test]
fn codex() {
    isolated("codex", |agents| {
        all("codex", Session::Moves, Hold::Writing, &|_, url| {
            let program = install::script(agents, "codex");
            let mut settings = settings(&program, "fake", &[("FAKE_KEY", KEY)]);
            let config = [
                ("model_provider", "fake".to_owned()),
                ("model_providers.fake.name", "fake".to_owned()),
                ("model_providers.fake.base_url", format!("{url}/v1")),
                ("model_providers.fake.env_key", "FAKE_KEY".to_owned()),
                ("model_providers.fake.wire_api", "responses".to_owned()),
            ];
            for (key, value) in config {
                let pair = format!("{key}={}", json!(value));
                settings.args.extend(["-c".to_owned(), pair]);
            }
            external(External::Codex, settings)
        });
    });
}

#[test]
fn codex_app() {
    isolated("codex_app", |agents| {
        let build = |_: &World, url: &str| {
            let program = install::script(agents, "codex");
            let mut settings = settings(&program, "fake", &[("CODEX_API_KEY", KEY)]);
            let url = json!(format!("{url}/v1"));
            let base = format!("model_providers.proofhouse.base_url={url}");
            settings.args.extend(["-c".to_owned(), base]);
            external(External::CodexApp, settings)
        };
        all("codex-app", Session::Moves, Hold::Writing, &build);
        for access in [Access::Edit, Access::ReadOnly] {
            asks_before_an_edit(access, &build);
        }
    });
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
    record(&order, &format!("codex-app-patch-{access:?}"));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    let asked = transcript(&reply).contains("item/fileChange/requestApproval");
    assert!(asked, "{}", transcript(&reply));
    let there = world.path("view/repo/patched.txt").exists();
    assert_eq!(there, access == Access::Edit);
}

#[test]
fn gemini() {
    isolated("gemini", |agents| {
        all(
            "gemini",
            Session::Moves,
            Hold::Tools(&["write_file", "replace"]),
            &|_, url| {
                let env = [("GOOGLE_GEMINI_BASE_URL", url), ("GEMINI_API_KEY", KEY)];
                let program = install::script(agents, "gemini");
                external(External::Gemini, settings(&program, "gemini-2.5-pro", &env))
            },
        );
    });
}

fn opencode_config(url: &str) -> String {
    let model = json!({"name": "fake", "cost": {"input": 1, "output": 2},
        "limit": {"context": 100_000, "output": 4000}});
    let options = json!({"baseURL": format!("{url}/v1"), "apiKey": KEY});
    json!({"provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake",
        "options": options, "models": {"fake-model": model}}}})
    .to_string()
}

#[test]
fn opencode() {
    isolated("opencode", |agents| {
        all(
            "opencode",
            Session::Stays,
            Hold::Tools(&["write", "edit"]),
            &|_, url| {
                let config = opencode_config(url);
                let env = [
                    ("OPENCODE_CONFIG_CONTENT", config.as_str()),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
                ];
                let program = install::opencode(agents);
                external(
                    External::Opencode,
                    settings(&program, "fake/fake-model", &env),
                )
            },
        );
    });
}

#[test]
fn pi() {
    isolated("pi", |agents| {
        all(
            "pi",
            Session::Moves,
            Hold::Tools(&["write", "edit"]),
            &|world, url| {
                let model = json!({"id": "fake-model", "name": "fake", "reasoning": false,
                "input": ["text"], "contextWindow": 100_000, "maxTokens": 4000,
                "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}});
                let provider = json!({"baseUrl": format!("{url}/v1"), "api": "openai-completions",
                "apiKey": KEY, "models": [model]});
                let folder = world.path("view/agent/.pi/agent");
                fs::create_dir_all(&folder).expect("a folder");
                let text = json!({"providers": {"fake": provider}}).to_string();
                fs::write(folder.join("models.json"), text).expect("models.json");
                let env = [("PI_OFFLINE", "1")];
                let program = install::script(agents, "pi");
                external(External::Pi, settings(&program, "fake/fake-model", &env))
            },
        );
    });
}

/// Gemini once more, as an agent that we know by its protocol only.
#[test]
fn acp() {
    isolated("acp", |agents| {
        all(
            "acp",
            Session::MovesNextMinute,
            Hold::Writing,
            &|world, url| {
                let config = json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {"enableAutoUpdate": false}});
                let folder = world.path("view/agent/.gemini");
                fs::create_dir_all(&folder).expect("a folder");
                fs::write(folder.join("settings.json"), config.to_string()).expect("settings");
                let program = install::script(agents, "gemini");
                let words = ["--acp", "--skip-trust", "-m", "gemini-2.5-pro"];
                let mut argv = vec![program.display().to_string()];
                argv.extend(words.map(str::to_owned));
                let env = [
                    ("GOOGLE_GEMINI_BASE_URL", url),
                    ("GEMINI_API_KEY", KEY),
                    ("GEMINI_CLI_NO_RELAUNCH", "true"),
                ];
                let settings = Settings {
                    model: None,
                    program: None,
                    ..settings(&program, "", &env)
                };
                external(External::Acp { argv }, settings)
            },
        );
    });
}
