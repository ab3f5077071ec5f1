//! `do` from an empty config to a landed commit with the real coding agents, opt-in
//! (`--features real-agents`): a scripted model server on loopback says what each of them does.

#[path = "../../../agents/tests/it/real/agents.rs"]
pub(crate) mod agents;

use crate::support::{Said, World};
use serde_json::json;
use std::path::Path;
use testkit::model_server::{Call, ModelServer, Script, Turn};

const CODE: &str = "import re\n\n\ndef slug(text):\n    return re.sub(r\"[^a-z]+\", \"-\", text.lower()).strip(\"-\")\n";
const TESTS: &str = "import unittest\n\nfrom slugs import slug\n\n\nclass Slugs(unittest.TestCase):\n    def test_words(self):\n        self.assertEqual(slug(\"Hello, World\"), \"hello-world\")\n";

/// What the model says: a test and the code for it, by a shell that stands in the repository.
fn turns() -> Vec<Turn> {
    let mend = "sed -i 's/a-z]/a-z0-9]/' slugs.py";
    let test = "cat >>test_slugs.py <<'EOF'\n\n    def test_digits(self):\n        self.assertEqual(slug(\"Top 10\"), \"top-10\")\n        self.assertEqual(slug(\"4 of 7\"), \"4-of-7\")\nEOF";
    vec![
        Turn::call(Call::Shell(test.into())),
        Turn::call(Call::Shell(mend.into())),
        Turn::call(Call::Shell("python3 -m unittest".into())),
        Turn::text("Done.\n```json\n{\"summary\":\"digits stay in slugs\"}\n```"),
    ]
}

/// Put together here, so that no file holds the shape of a key.
pub(crate) fn key() -> String {
    format!("{}-fake-key-for-loopback-only", "sk")
}

/// A person who has never used Proofhouse: a repository with a suite, and where the model is.
fn lands(agent: &str, settings: &str, env: &[(&str, String)]) {
    let world = World::empty();
    world.write("slugs.py", CODE);
    world.write("test_slugs.py", TESTS);
    world.write(".gitignore", "__pycache__/\nagent/\n");
    world.git(&["init", "--quiet", "--initial-branch=main"]);
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    world.commit("slugs");
    world.write("agent/xdg/proofhouse/config.toml", settings);
    world.write("agent/mutants", "");
    let says = |args: &[&str]| -> Said {
        let mut command = world.command(args);
        command.env_remove("PROOFHOUSE_RUNS__TREE");
        command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
        command.envs(env.iter().map(|(name, value)| (name, value)));
        command.output().unwrap().into()
    };
    let asked = ["do", "make slugs keep digits", "--agent", agent];
    let said = says(&[&asked[..], &["--autonomy", "auto"]].concat());
    println!("{}{}", said.out, said.err);
    said.exits(0);
    says(&["land", "make-slugs-keep-digits"]).exits(0);
    assert!(world.read("slugs.py").contains("a-z0-9"));
    assert!(world.read("test_slugs.py").contains("test_digits"));
    let landed = world.git(&[
        "log",
        "-1",
        "--format=%s|%an|%(trailers:key=Proofhouse-Evidence)",
    ]);
    assert!(
        landed.starts_with("make slugs keep digits|Ann|"),
        "{landed}"
    );
    assert!(landed.contains("reported"), "{landed}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    says(&["audit", "--ci"]).exits(0);
}

fn server() -> ModelServer {
    ModelServer::start(Script::new(turns())).expect("a server")
}

/// What of the config every agent has.
fn settings(name: &str, program: &Path, more: &str) -> String {
    let program = json!(program.display().to_string());
    format!("[agents.{name}]\nprogram = {program}\n{more}\n")
}

#[test]
fn claude_does_it() {
    agents::isolated("real_agents::claude_does_it", |folder| {
        let server = server();
        let more = format!("base_url = {}", json!(server.url()));
        let settings = settings("claude", &agents::claude(folder), &more);
        let key = [("ANTHROPIC_API_KEY", key())];
        lands("claude:claude-fake", &settings, &key);
    });
}

#[test]
fn codex_does_it() {
    agents::isolated("real_agents::codex_does_it", |folder| {
        let server = server();
        let more = format!("base_url = {}", json!(format!("{}/v1", server.url())));
        let settings = settings("codex", &agents::script(folder, "codex"), &more);
        let key = [("CODEX_API_KEY", key()), ("OPENAI_API_KEY", key())];
        lands("codex:fake", &settings, &key);
    });
}

#[test]
fn opencode_does_it() {
    agents::isolated("real_agents::opencode_does_it", |folder| {
        let server = server();
        let model = json!({"name": "fake", "cost": {"input": 1, "output": 2},
            "limit": {"context": 100_000, "output": 4000}});
        let options = json!({"baseURL": format!("{}/v1", server.url()), "apiKey": key()});
        let config = json!({"provider": {"fake": {"npm": "@ai-sdk/openai-compatible",
            "name": "fake", "options": options, "models": {"fake-model": model}}}});
        let names = "env = [\"OPENCODE_CONFIG_CONTENT\", \"OPENCODE_DISABLE_MODELS_FETCH\", \"OPENCODE_DISABLE_DEFAULT_PLUGINS\"]";
        let host = format!("\n[network]\nhosts = [\"127.0.0.1:{}\"]", server.port());
        let settings = settings(
            "opencode",
            &agents::opencode(folder),
            &(names.to_owned() + &host),
        );
        let env = [
            ("OPENCODE_CONFIG_CONTENT", config.to_string()),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
        ];
        lands("opencode:fake/fake-model", &settings, &env);
    });
}
