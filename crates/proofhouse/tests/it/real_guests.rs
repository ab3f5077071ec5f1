//! Real sessions as guests, opt-in (`--features real-agents`): Claude Code, Codex, opencode and Gemini CLI, set up by `init --for`
//! alone, take work, hand in something wrong, read why, mend it, and a person signs for it and lands it. A scripted
//! model server on loopback says what each of them does.

use crate::guest::{RUN, SUM, decides, world};
use crate::real_agents::{agents, key};
use crate::support::{BIN, World, says};
use base64ct::{Base64, Encoding};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use testkit::model_server::{Arguments, Call, ModelServer, Script, Turn};

/// Does the client ask a hook before it stops?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stops {
    Asked,
    AtOnce,
}

fn tool(name: &str, arguments: serde_json::Value) -> Turn {
    Turn::call(Call::Tool {
        name: name.to_owned(),
        arguments: Arguments::Json(arguments),
    })
}

fn hand_in(attempt: &str) -> Turn {
    let result = json!({ "summary": "totals are sums" });
    tool(
        "hand_in",
        json!({ "run": RUN, "attempt": attempt, "result": result }),
    )
}

/// In the folder that was taken. Nothing in the command is substituted: Gemini would refuse it.
fn there(attempt: &str, command: &str) -> Turn {
    let folder = format!(".proofhouse/work/{RUN}/{attempt}/view/repo");
    Turn::call(Call::Shell(format!("cd {folder} && {command}")))
}

/// What the model says. The names of attempts follow from the workflow.
fn turns(stops: Stops) -> Vec<Turn> {
    let sum = Base64::encode_string(SUM.as_bytes());
    let mut turns = vec![
        tool("start", json!({ "sentence": "make totals of carts" })),
        tool("take", json!({})),
        there("e0003", "printf 'one|5|5\\ntwo|1 2|3\\n' > tests/cases"),
    ];
    // It wants to stop without handing in, and is asked to.
    turns.extend((stops == Stops::Asked).then(|| Turn::text("All done.")));
    turns.extend([
        hand_in("e0003"),
        there("e0007", &format!("echo {sum} | base64 -d > src/total.sh")),
        hand_in("e0007"),
        Turn::text("A person decides now."),
    ]);
    turns
}

/// A repository that `init --for` has set up, and what the client is started with.
fn set_up(client: &str) -> (World, Vec<(String, String)>) {
    let world = world();
    says(&world, &["init", "--for", client, "--yes"]).exits(0);
    std::fs::create_dir_all(world.at("agent/home")).unwrap();
    let beside = Path::new(BIN).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let env = [
        ("PATH", format!("{beside}:{path}")),
        ("HOME", world.at("agent/home").display().to_string()),
        ("PROOFHOUSE_CHECKS__MUTANTS", "0".to_owned()),
    ];
    (
        world,
        env.map(|(name, value)| (name.to_owned(), value)).to_vec(),
    )
}

/// Lets the session do its work; then a person looks, signs and lands.
fn works(world: &World, mut session: Command, env: &[(String, String)], server: &ModelServer) {
    session.current_dir(world.path()).env("PWD", world.path());
    session.envs(env.iter().map(|(name, value)| (name, value)));
    session.stdin(std::process::Stdio::null());
    let said = session.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    println!("{}\n{}", text(&said.stdout), text(&said.stderr));
    let requests: Vec<String> = server
        .requests()
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    let last = requests.last().cloned().unwrap_or_default();
    let asked = says(world, &["status", RUN, "--json"]).out;
    assert!(asked.contains("approval"), "{asked}\n{last}");
    // What failed was told to the model.
    assert!(
        last.contains("it is not done yet") && last.contains("red_green"),
        "{last}"
    );
    decides(world, "approve").exits(0);
    says(world, &["run", RUN]).exits(0);
    says(world, &["land", RUN]).exits(0);
    assert_eq!(world.read("src/total.sh"), SUM);
    says(world, &["audit", "--ci"]).exits(0);
    says(world, &["init", "--remove", "--yes"]).exits(0);
}

#[test]
fn claude_is_a_guest() {
    agents::isolated("real_guests::claude_is_a_guest", |folder| {
        let server = ModelServer::start(Script::new(turns(Stops::Asked))).expect("a server");
        let (world, mut env) = set_up("claude");
        // A person agrees to the server of the repository once.
        world.write(
            ".claude/settings.local.json",
            "{\"enableAllProjectMcpServers\": true}\n",
        );
        let on = "1".to_owned();
        env.extend(
            [
                ("ANTHROPIC_BASE_URL", server.url()),
                ("ANTHROPIC_API_KEY", key()),
                // On a busy machine it would begin without the tools.
                ("MCP_CONNECT_TIMEOUT_MS", "600000".to_owned()),
                ("MCP_TIMEOUT", "600000".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on.clone()),
                ("DISABLE_AUTOUPDATER", on),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let mut session = Command::new(agents::claude(folder));
        session.args([
            "-p",
            "make totals of carts, with proofhouse",
            "--model",
            "claude-fake",
        ]);
        session.args(["--allowedTools", "mcp__proofhouse,Bash"]);
        works(&world, session, &env, &server);
    });
}

#[test]
fn codex_is_a_guest() {
    agents::isolated("real_guests::codex_is_a_guest", |folder| {
        let server = ModelServer::start(Script::new(turns(Stops::Asked))).expect("a server");
        let (world, mut env) = set_up("codex");
        env.push(("CODEX_API_KEY".to_owned(), key()));
        let place = world.path().display().to_string();
        // A person trusts the folder, and says where the model is.
        world.write(
            "agent/home/.codex/config.toml",
            &format!(
                "model = \"fake\"\nmodel_provider = \"lab\"\nsandbox_mode = \"danger-full-access\"\napproval_policy = \"never\"\n[model_providers.lab]\nname = \"OpenAI\"\nbase_url = \"{}/v1\"\nenv_key = \"CODEX_API_KEY\"\nwire_api = \"responses\"\n[projects.{}]\ntrust_level = \"trusted\"\n",
                server.url(),
                json!(place)
            ),
        );
        let mut session = Command::new(agents::script(folder, "codex"));
        session.args(["exec", "--disable", "plugins", "--disable", "apps"]);
        // A person trusts the hook once.
        session.arg("--dangerously-bypass-hook-trust");
        session.arg("make totals of carts, with proofhouse");
        works(&world, session, &env, &server);
    });
}

#[test]
fn opencode_is_a_guest() {
    agents::isolated("real_guests::opencode_is_a_guest", |folder| {
        let server = ModelServer::start(Script::new(turns(Stops::AtOnce))).expect("a server");
        let (world, mut env) = set_up("opencode");
        let model = json!({"name": "fake", "limit": {"context": 100_000, "output": 4000}});
        let options = json!({"baseURL": format!("{}/v1", server.url()), "apiKey": key()});
        let config = json!({"provider": {"fake": {"npm": "@ai-sdk/openai-compatible",
            "name": "fake", "options": options, "models": {"fake-model": model}}}});
        env.extend(
            [
                ("OPENCODE_CONFIG_CONTENT", config.to_string()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let mut session = Command::new(agents::opencode(folder));
        session.args(["run", "-m", "fake/fake-model"]);
        session.arg("make totals of carts, with proofhouse");
        works(&world, session, &env, &server);
    });
}

#[test]
fn gemini_is_a_guest() {
    agents::isolated("real_guests::gemini_is_a_guest", |folder| {
        let server = ModelServer::start(Script::new(turns(Stops::Asked))).expect("a server");
        let (world, mut env) = set_up("gemini");
        world.write(
            "agent/home/.gemini/settings.json",
            "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \"general\": {\"enableAutoUpdate\": false}, \"privacy\": {\"usageStatisticsEnabled\": false}, \"telemetry\": {\"enabled\": false}}\n",
        );
        // A person trusts the folder once: only then are its servers and hooks read.
        let trusted = json!({ (world.path().display().to_string()): "TRUST_FOLDER" });
        world.write(
            "agent/home/.gemini/trustedFolders.json",
            &trusted.to_string(),
        );
        env.extend(
            [
                ("GEMINI_API_KEY", key()),
                ("GOOGLE_GEMINI_BASE_URL", server.url()),
                ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
                ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let mut session = Command::new(agents::script(folder, "gemini"));
        session.args(["--yolo", "-m", "gemini-2.5-pro"]);
        session.args(["-p", "make totals of carts, with proofhouse"]);
        works(&world, session, &env, &server);
    });
}
