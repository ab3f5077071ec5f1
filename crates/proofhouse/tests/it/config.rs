//! Settings: where they come from, which wins, and what a wrong one is answered with.

use crate::support::{HONEST, World};

#[test]
fn the_later_layer_wins_and_show_says_where_each_value_comes_from() {
    let world = World::new();
    world.write(
        "agent/xdg/proofhouse/config.toml",
        "agent = \"command:user\"\n[budgets]\ntokens = 11\n",
    );
    world.write(
        ".proofhouse/config.toml",
        "agent = \"command:repo\"\n[checks]\ncommands = [\"true\"]\n",
    );
    let shown = |extra: &[(&str, &str)]| {
        let mut command = world.command(&["config", "show", "--json"]);
        command.envs(extra.iter().copied());
        let said: crate::support::Said = command.output().unwrap().into();
        said.exits(0).json()
    };
    let value = |facts: &serde_json::Value, name: &str| {
        let found = facts
            .as_array()
            .unwrap()
            .iter()
            .find(|fact| fact["name"] == name)
            .unwrap()
            .clone();
        (
            found["value"].clone(),
            found["source"].as_str().unwrap().to_owned(),
        )
    };
    let facts = shown(&[]);
    let (agent, source) = value(&facts, "agent");
    assert_eq!(agent, "command:repo");
    assert!(source.ends_with(".proofhouse/config.toml"), "{source}");
    assert_eq!(value(&facts, "budgets.tokens").0, 11);
    let facts = shown(&[
        ("PROOFHOUSE_AGENT", "command:env"),
        ("PROOFHOUSE_CHECKS__COMMANDS", "a\nb c\n"),
    ]);
    assert_eq!(
        value(&facts, "agent"),
        ("command:env".into(), "$PROOFHOUSE_AGENT".to_owned())
    );
    assert_eq!(
        value(&facts, "checks.commands").0,
        serde_json::json!(["a", "b c"])
    );
    let said = world.run(&["config", "show"]).exits(0);
    assert!(
        said.out.contains("not set") && said.out.contains("$PROOFHOUSE_DAY__MICRO_DOLLARS"),
        "{}",
        said.out
    );
}

#[test]
fn a_wrong_key_is_answered_with_the_nearest_one() {
    let world = World::new();
    for (text, suggests) in [
        ("agnet = \"x\"\n", "did you mean `agent`?"),
        (
            "[checks]\ncomands = []\n",
            "did you mean `checks.commands`?",
        ),
        ("[tiers]\nfast = 3\n", "must be a text"),
        ("[roles]\ncoder = \"cheap\"\n", "one of fast, standard, top"),
        ("[budgets]\ntokens = -1\n", "a whole number"),
    ] {
        world.write(".proofhouse/config.toml", text);
        let said = world
            .run(&["config", "show"])
            .refuses(1, "config_malformed");
        assert!(
            said.err.contains(suggests),
            "no `{suggests}` in {}",
            said.err
        );
    }
    std::fs::remove_file(world.at(".proofhouse/config.toml")).unwrap();
    let mut command = world.command(&["config", "show"]);
    let said: crate::support::Said = command
        .env("PROOFHOUSE_DAY__MICRO_DOLLARS", "lots")
        .output()
        .unwrap()
        .into();
    assert!(
        said.refuses(1, "config_malformed")
            .err
            .contains("$PROOFHOUSE_DAY__MICRO_DOLLARS")
    );
}

#[test]
fn init_writes_a_file_that_loads_and_never_writes_over_one() {
    let world = World::new();
    world.run(&["init"]).refuses(1, "terminal_required");
    world.run(&["init", "--yes"]).exits(0);
    let text = world.read(".proofhouse/config.toml");
    for key in [
        "# money that all runs",
        "[checks]",
        "# commands = ",
        "[tiers]",
        "# NAME = ",
    ] {
        assert!(text.contains(key), "no `{key}` in\n{text}");
    }
    world.run(&["config", "show"]).exits(0);
    world.run(&["init", "--yes"]).refuses(1, "config_exists");
    assert!(world.read(".proofhouse/.gitignore").contains("work/"));
}

#[test]
fn roles_get_the_agent_of_their_tier() {
    let world = World::new();
    world.write("agent/script.toml", HONEST);
    world.write("agent/framer.toml", "log = \"framer.log\"\n[[attempt]]\nsteps = [{ set = \"Not doing\", to = \"x\" }, { set = \"Reality constraints\", to = \"y\" }]\nresult = { summary = \"framed by the fast one\" }\n");
    world.write(".gitignore", "agent/\n");
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n[tiers]\nfast = \"scripted:agent/framer.toml\"\n",
    );
    world
        .run(&[
            "new",
            "phase",
            "--dir",
            "tasks/t",
            "--set",
            "objective=o",
            "--set",
            "done_gate=d",
            "--check",
            "true",
        ])
        .exits(0);
    world.run(&["run", "t", "--once"]).exits(0);
    assert!(world.read("agent/framer.log").contains("state=intake"));
    world.write(".proofhouse/config.toml", "agent = \"scripted:agent/script.toml\"\n[tiers]\nfast = \"scripted:agent/framer.toml\"\n[roles]\nframer = \"standard\"\n");
    world.run(&["run", "t"]).exits(0);
    assert_eq!(
        world.read("agent/framer.log").matches("start ").count(),
        1,
        "a role can be put on another tier"
    );
}

#[test]
fn the_days_cap_stops_before_the_next_call_and_asks() {
    let world = World::new();
    let script = HONEST.replace(
        "result = { summary = \"framed\" }",
        "result = { summary = \"framed\" }\nusage = { micro_dollars = 700 }",
    );
    world.start(&script, &[]);
    world.write(".proofhouse/config.toml", "[day]\nmicro_dollars = 500\n");
    let said = world.run(&["run", "t"]).exits(2);
    assert!(
        said.out.contains("day_cap_reached") && said.out.contains("700 of 500"),
        "{}",
        said.out
    );
    assert_eq!(world.status()["waiting_for"]["reason"], "trouble");
    world.write(".proofhouse/config.toml", "[day]\nmicro_dollars = 50000\n");
    let key = world.approver("ann");
    world.decide(&key, "retry").exits(0);
    world.run(&["run", "t"]).exits(0);
}
