//! The connectors as the table's tests build them: models at the scripted server, and coding
//! agents whose program is the stand-in.

use super::{Part, Root, Scenario, row};
use crate::fake::{self, coding};
use crate::world::World;
use agents::{
    Agent, AgentSpec, Api, ApiSettings, External, KeySource, Price, Prices, Provider, Rates,
    Settings,
};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use testkit::stand_in;

/// Not a test: the stand-in.
#[test]
#[ignore = "started by other tests"]
fn stand_in() {
    if let Some(code) = stand_in::main() {
        std::process::exit(code);
    }
}

fn program() -> String {
    format!("{}/tests/fixtures/stand-in.sh", env!("CARGO_MANIFEST_DIR"))
}

/// Settings that start the stand-in.
pub(crate) fn settings(agent: &External, url: &str, idle: Duration) -> Settings {
    let this = std::env::current_exe().expect("this test");
    let mut speeches = fake::ALL.iter();
    let speech = speeches.find(|speech| speech.agent == agent.name());
    let model = speech.expect("a row in fake.rs").model;
    // Who is named with a program (`acp`) has it already.
    let program = agent.argv().is_empty().then(program);
    let env = [
        (stand_in::AS, agent.name().to_owned()),
        (stand_in::URL, url.to_owned()),
        ("STAND_IN_PROGRAM", this.display().to_string()),
    ];
    Settings {
        program,
        model: model.map(str::to_owned),
        env: env.map(|(name, value)| (name.to_owned(), value)).into(),
        idle,
        ..Settings::default()
    }
}

/// A connector whose agent is the stand-in.
pub(crate) fn played(agent: External, url: &str, idle: Duration) -> Box<dyn Agent> {
    let settings = settings(&agent, url, idle);
    AgentSpec::External { agent, settings }
        .build()
        .expect("an agent")
}

/// This test program, which the stand-in is. Not its folder: that may hold anything.
pub(crate) fn readable() -> PathBuf {
    std::env::current_exe().expect("this test")
}

fn external(name: &str) {
    let agent = match name {
        "acp" => External::named("acp", vec![program()]).expect("a connector"),
        name => coding(name),
    };
    row(agent.name(), Root::Whole, &|part, _, url| {
        played(agent.clone(), url, part.idle)
    });
}

fn model(name: &str) {
    let provider = Provider::named(name).expect("a provider");
    row(name, Root::View, &|part: Part, world: &World, url| {
        fs::write(world.path("key"), "correct-horse-battery\n").expect("the key");
        let rates = Rates {
            input: 1_000_000,
            cached: 500_000,
            written: 1_000_000,
            output: 2_000_000,
        };
        let price = Price {
            rates,
            ..Price::default()
        };
        let base_url = match provider.name() {
            "anthropic" => url.to_owned(),
            _ => format!("{url}/v1"),
        };
        let settings = ApiSettings {
            base_url,
            key: KeySource::File(world.path("key")),
            prices: Prices::none().with("fake-model", price),
            backoff: Duration::ZERO,
            idle: part.idle,
            ..ApiSettings::new(provider, "fake-model")
        };
        Box::new(Api::new(settings).expect("an agent"))
    });
}

macro_rules! rows {
    ($($name:ident: $play:expr;)*) => {$(
        #[test]
        fn $name() {
            $play;
        }
    )*};
}

rows! {
    anthropic_meets_every_scenario: model("anthropic");
    openai_meets_every_scenario: model("openai");
    openai_chat_meets_every_scenario: model("openai-chat");
    claude_meets_every_scenario: external("claude");
    codex_meets_every_scenario: external("codex");
    codex_app_meets_every_scenario: external("codex-app");
    gemini_meets_every_scenario: external("gemini");
    opencode_meets_every_scenario: external("opencode");
    pi_meets_every_scenario: external("pi");
    acp_meets_every_scenario: external("acp");
}

#[test]
fn command_meets_every_scenario() {
    let root = |world: &World| world.path("outside.txt").display().to_string();
    let shell = |world: &World, scenario: Scenario| {
        let done = r#"echo '{"summary":"made a file"}' > "$PROOFHOUSE_RESULT""#;
        match scenario {
            Scenario::Works => format!(
                "echo hello > hello.txt; sed -i s/hello/goodbye/ hello.txt; wc -l < hello.txt > ran.txt; {done}"
            ),
            Scenario::Outside => format!("cat {} > stolen.txt; {done}", root(world)),
            _ => "echo hello > first.txt; exec sleep 600".to_owned(),
        }
    };
    row("command", Root::Whole, &|part, world, _| {
        let argv = ["sh", "-c", &shell(world, part.scenario)].map(str::to_owned);
        let spec = AgentSpec::Command {
            argv: argv.to_vec(),
            env: Default::default(),
            idle: Some(part.idle),
        };
        spec.build().expect("an agent")
    });
}

#[test]
fn guest_meets_every_scenario() {
    row("guest", Root::Whole, &|_, world, _| {
        crate::guest::sits(world, |repo| {
            fs::write(repo.join("hello.txt"), "goodbye\n").expect("a file");
            fs::write(repo.join("ran.txt"), "1\n").expect("a file");
        });
        AgentSpec::Guest.build().expect("an agent")
    });
}

#[test]
fn scripted_meets_every_scenario() {
    row("scripted", Root::Whole, &|part, world, _| {
        let outside = world.path("outside.txt").display().to_string();
        let steps = match part.scenario {
            Scenario::Works => r#"{ write = "repo/hello.txt", text = "hello\n" },
                { edit = "repo/hello.txt", find = "hello", replace = "goodbye" },
                { run = "wc -l < hello.txt > ran.txt", must = true }"#
                .to_owned(),
            _ => format!("{{ run = \"cat {outside} > stolen.txt\" }}"),
        };
        let path = world.path("script.toml");
        let result = r#"result = { summary = "made a file" }"#;
        let text = format!("[[attempt]]\nsteps = [{steps}]\n{result}\n");
        fs::write(&path, text).expect("the script");
        AgentSpec::Scripted { path }.build().expect("an agent")
    });
}
