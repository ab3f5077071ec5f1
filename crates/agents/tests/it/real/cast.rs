//! The real agents as connectors, each pointed at a scripted server.

use super::agents as install;
use crate::fake::coding;
use crate::world::World;
use agents::{Agent, AgentSpec, External, Settings};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// One real agent. The last is Gemini once more, as an agent that we know by its protocol only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Real {
    Claude,
    Codex,
    CodexApp,
    Gemini,
    Opencode,
    Pi,
    Acp,
}

/// Put together here, so that no file holds the shape of a key.
fn key() -> String {
    format!("{}-fake-key-for-loopback-only", "sk")
}

impl Real {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::CodexApp => "codex-app",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Acp => "acp",
        }
    }

    /// The connector for one server; may prepare the agent's private home first.
    pub(super) fn build(self, agents: &Path, world: &World, url: &str) -> Box<dyn Agent> {
        match self {
            Self::Claude => claude(agents, url),
            Self::Codex => codex(agents, url),
            Self::CodexApp => codex_app(agents, url),
            Self::Gemini => gemini(agents, url),
            Self::Opencode => opencode(agents, url),
            Self::Pi => pi(agents, world, url),
            Self::Acp => acp(agents, world, url),
        }
    }
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
        // Some wait in silence for a server that fails, and some are slow to start.
        idle: Duration::from_secs(100),
        ..Settings::default()
    }
}

fn claude(agents: &Path, url: &str) -> Box<dyn Agent> {
    let key = key();
    let env = [("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_API_KEY", &key)];
    let program = install::claude(agents);
    external(coding("claude"), settings(&program, "claude-fake", &env))
}

fn codex(agents: &Path, url: &str) -> Box<dyn Agent> {
    let program = install::script(agents, "codex");
    let mut settings = settings(&program, "fake", &[("FAKE_KEY", &key())]);
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
    external(coding("codex"), settings)
}

fn codex_app(agents: &Path, url: &str) -> Box<dyn Agent> {
    let program = install::script(agents, "codex");
    let mut settings = settings(&program, "fake", &[("CODEX_API_KEY", &key())]);
    let url = json!(format!("{url}/v1"));
    let base = format!("model_providers.proofhouse.base_url={url}");
    settings.args.extend(["-c".to_owned(), base]);
    external(coding("codex-app"), settings)
}

fn gemini(agents: &Path, url: &str) -> Box<dyn Agent> {
    let key = key();
    let env = [("GOOGLE_GEMINI_BASE_URL", url), ("GEMINI_API_KEY", &key)];
    let program = install::script(agents, "gemini");
    external(coding("gemini"), settings(&program, "gemini-2.5-pro", &env))
}

fn opencode(agents: &Path, url: &str) -> Box<dyn Agent> {
    let model = json!({"name": "fake", "cost": {"input": 1, "output": 2},
        "limit": {"context": 100_000, "output": 4000}});
    let options = json!({"baseURL": format!("{url}/v1"), "apiKey": key()});
    let config = json!({"provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake",
        "options": options, "models": {"fake-model": model}}}});
    let config = config.to_string();
    let env = [
        ("OPENCODE_CONFIG_CONTENT", config.as_str()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ];
    let program = install::opencode(agents);
    let settings = settings(&program, "fake/fake-model", &env);
    external(coding("opencode"), settings)
}

fn pi(agents: &Path, world: &World, url: &str) -> Box<dyn Agent> {
    let model = json!({"id": "fake-model", "name": "fake", "reasoning": false,
        "input": ["text"], "contextWindow": 100_000, "maxTokens": 4000,
        "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}});
    let provider = json!({"baseUrl": format!("{url}/v1"), "api": "openai-completions",
        "apiKey": key(), "models": [model]});
    let folder = world.path("view/agent/.pi/agent");
    fs::create_dir_all(&folder).expect("a folder");
    let text = json!({"providers": {"fake": provider}}).to_string();
    fs::write(folder.join("models.json"), text).expect("models.json");
    let program = install::script(agents, "pi");
    let settings = settings(&program, "fake/fake-model", &[("PI_OFFLINE", "1")]);
    external(coding("pi"), settings)
}

fn acp(agents: &Path, world: &World, url: &str) -> Box<dyn Agent> {
    let config = json!({"security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": false}});
    let folder = world.path("view/agent/.gemini");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("settings.json"), config.to_string()).expect("settings");
    let program = install::script(agents, "gemini");
    let words = ["--acp", "--skip-trust", "-m", "gemini-2.5-pro"];
    let mut argv = vec![program.display().to_string()];
    argv.extend(words.map(str::to_owned));
    let key = key();
    let env = [
        ("GOOGLE_GEMINI_BASE_URL", url),
        ("GEMINI_API_KEY", key.as_str()),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
    ];
    let settings = Settings {
        model: None,
        program: None,
        ..settings(&program, "", &env)
    };
    external(External::named("acp", argv).expect("a connector"), settings)
}
