//! Settings: where they come from, which wins, and what a wrong one is answered with.

use crate::support::{CHECK, HONEST, TASK, World};

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
    let default = ("loopback".into(), "default".to_owned());
    assert_eq!(value(&facts, "network.checks"), default);
    let said = world.run(&["config", "show"]).exits(0).out;
    assert!(
        said.contains("config show --all") && !said.contains("day.micro_dollars"),
        "{said}"
    );
    let said = world.run(&["config", "show", "network.che"]).exits(0).out;
    assert!(
        said.contains("loopback") && said.lines().count() == 2,
        "{said}"
    );
    let said = world.run(&["config", "show", "--all"]).exits(0);
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
        (
            "[approvals]\nautonomy = \"full\"\n",
            "one of manual, conservative, auto",
        ),
        (
            "[agents.claud]\nprogram = \"x\"\n",
            "did you mean `agents.claude.program`?",
        ),
        ("[agents.claude]\nlogin = \"theirs\"\n", "one of key, user"),
        (
            "[prices.\"gpt-4.1\"]\ninptu = 1\n",
            "did you mean `prices.gpt-4.1.input`?",
        ),
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
    let named = |agent| world.run(&["init", "--agent", agent]);
    named("nobody").refuses(1, "unknown_agent");
    assert!(!world.at(".proofhouse/config.toml").exists());
    named("command:cat").exits(0);
    let text = world.read(".proofhouse/config.toml");
    assert!(text.contains("\nagent = \"command:cat\"\n"), "{text}");
    std::fs::remove_file(world.at(".proofhouse/config.toml")).unwrap();
    world.run(&["init", "--yes"]).exits(0);
    let text = world.read(".proofhouse/config.toml");
    for key in [
        "# money that all runs",
        "[checks]",
        "# commands = ",
        "[tiers]",
        "config show --all",
    ] {
        assert!(text.contains(key), "no `{key}` in\n{text}");
    }
    assert!(text.lines().count() < 40, "what people change:\n{text}");
    world.run(&["config", "show"]).exits(0);
    world.run(&["init", "--yes"]).refuses(1, "config_exists");
    assert!(world.read(".proofhouse/.gitignore").contains("work/"));
}

#[test]
fn the_rung_of_new_runs_comes_from_the_config_unless_a_flag_says_otherwise() {
    for (config, flags, rung) in [
        ("# without a word of autonomy\n", &[][..], "conservative"),
        ("[approvals]\nautonomy = \"manual\"\n", &[], "manual"),
        (
            "[approvals]\nautonomy = \"manual\"\n",
            &["--autonomy", "conservative"],
            "conservative",
        ),
    ] {
        let world = World::new();
        world.write(".proofhouse/config.toml", config);
        world.start(HONEST, flags);
        assert_eq!(world.status()["autonomy"], rung, "{config}");
    }
    // Below `auto`, a run that could complete waits for a person.
    let world = World::new();
    world.write(
        ".proofhouse/config.toml",
        "[approvals]\nautonomy = \"conservative\"\n",
    );
    world.start(HONEST, &[]);
    world.run(&["run", "t"]).exits(2);
    assert_eq!(world.status()["waiting_for"]["reason"], "approval");
}

#[test]
fn roles_get_the_agent_of_their_tier() {
    let world = World::new();
    world.write("agent/script.toml", HONEST);
    world.write("agent/framer.toml", "log = \"framer.log\"\n[[attempt]]\nsteps = [{ set = \"Not doing\", to = \"nothing else\" }, { set = \"Reality constraints\", to = \"no network\" }]\nresult = { summary = \"framed by the fast one\" }\n");
    world.write(".gitignore", "agent/\n");
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n[tiers]\nfast = \"scripted:agent/framer.toml\"\n",
    );
    let told = ["--dir", "tasks/t", "--check", CHECK];
    world.run(&[&TASK[..], &told].concat()).exits(0);
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

fn new(world: &World, agent: &str) -> crate::support::Said {
    let mut command = world.command(&[
        "new",
        "phase",
        "--dir",
        "tasks/t",
        "--set",
        "objective=be good",
        "--check",
        "true",
        "--agent",
        agent,
        "--json",
    ]);
    for key in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY"] {
        command.env_remove(key);
    }
    command.output().unwrap().into()
}

#[test]
fn new_says_early_what_an_agent_lacks_and_refuses_what_can_never_work() {
    for (config, agent, says) in [
        ("", "command:no-such-program-here", "is not on PATH"),
        (
            "[agents.claude]\nprogram = \"/nowhere/claude\"\n",
            "claude",
            "there is no program `/nowhere/claude`",
        ),
        (
            "[agents.anthropic]\nkey_file = \"agent/no-key\"\n",
            "anthropic:claude-opus-5",
            "agent/no-key",
        ),
        (
            "[agents.openai-chat]\nkey_file = \"agent/key\"\n",
            "openai-chat:nobody-knows-it",
            "the price of `nobody-knows-it` is not known",
        ),
    ] {
        let world = World::new();
        world.write("agent/key", "correct-horse-battery");
        world.write(".proofhouse/config.toml", config);
        let said = new(&world, agent).exits(0).json();
        let missing = said["missing"].to_string();
        assert!(missing.contains(says), "{agent}: {missing}");
    }
    for (config, agent, code) in [
        ("", "nobody", "unknown_agent"),
        (
            "[agents.command]\nlogin = \"user\"\n",
            "command:true",
            "agent_setting_unfit",
        ),
        (
            "[prices.m]\ninput = 1\n",
            "openai-chat:m",
            "config_malformed",
        ),
    ] {
        let world = World::new();
        world.write(".proofhouse/config.toml", config);
        let said = new(&world, agent).exits(1);
        assert!(
            said.out.contains(code) || said.err.contains(code),
            "{}{}",
            said.out,
            said.err
        );
        assert!(!world.at("tasks/t").exists(), "nothing was made");
    }
}

#[test]
fn a_price_and_a_key_file_of_the_config_make_a_model_ready() {
    let world = World::new();
    world.write("agent/key", "correct-horse-battery");
    world.write(
        ".proofhouse/config.toml",
        "[agents.openai-chat]\nkey_file = \"agent/key\"\nidle_seconds = 5\n[prices.\"org/m-1.5\"]\ninput = 1\noutput = 2\n",
    );
    let said = new(&world, "openai-chat:org/m-1.5").exits(0).json();
    assert_eq!(said["missing"], serde_json::json!([]));
    let shown = world.run(&["config", "show"]).exits(0).out;
    assert!(
        shown.contains("prices.org/m-1.5.input") && shown.contains("agents.openai-chat.key_file")
    );
    assert!(!shown.contains("battery"), "where it is, never what it is");
}

#[test]
fn a_key_file_is_in_no_view_and_its_key_in_nothing_that_is_kept() {
    let key = "correct-horse-battery";
    let world = World::new();
    world.write("deploy/[k]ey.txt", key);
    world.write(
        ".proofhouse/config.toml",
        "[agents.anthropic]\nkey_file = \"deploy/[k]ey.txt\"\n",
    );
    let script = HONEST.replacen(
        "steps = [{ set",
        &format!("steps = [{{ run = \"test ! -e 'deploy/[k]ey.txt'\", must = true }}, {{ run = \"echo {key}\" }}, {{ set"),
        1,
    );
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(0);
    let mut open = vec![world.at(".proofhouse")];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(key), "the key is in {}", path.display());
            }
        }
    }
    assert!(files > 10, "something was kept");
}

#[cfg(unix)]
#[test]
fn init_finds_who_is_installed_and_logged_in_and_tells_no_secret() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    for program in ["claude", "codex"] {
        world.write(&format!("agent/bin/{program}"), "#!/bin/sh\n");
        let path = world.at(&format!("agent/bin/{program}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let secret = "correct-horse-battery";
    world.write("agent/home/.codex/auth.json", secret);
    let path = format!(
        "{}:{}",
        world.at("agent/bin").display(),
        std::env::var("PATH").unwrap()
    );
    let run = |args: &[&str], key: Option<&str>| -> crate::support::Said {
        let mut command = world.command(args);
        command
            .env("PATH", &path)
            .env("HOME", world.at("agent/home"));
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "OPENAI_API_KEY",
            "CODEX_API_KEY",
        ] {
            command.env_remove(name);
        }
        command.envs(key.map(|key| ("ANTHROPIC_API_KEY", key)));
        command.output().unwrap().into()
    };
    let said = run(&["init", "--yes", "--json"], None).exits(0);
    let facts = said.json();
    assert_eq!(
        facts["agent"], "codex",
        "claude is installed, but nobody is logged in"
    );
    let login = |name: &str| {
        let found = facts["found"].as_array().unwrap().iter();
        let mut found = found.filter(|found| found["agent"] == name);
        found.next().unwrap()["login"].clone()
    };
    assert_eq!(
        (login("claude"), login("codex")),
        (serde_json::Value::Null, "user".into())
    );
    let config = world.read(".proofhouse/config.toml");
    assert!(
        config.contains("[agents.codex]\nlogin = \"user\""),
        "{config}"
    );
    assert!(!said.out.contains(secret) && !config.contains(secret));
    let missing = facts["missing"].to_string();
    assert!(missing.contains("no model is named"), "{missing}");
    assert!(!missing.contains("on PATH"), "{missing}");
    run(&["config", "show"], None).exits(0);
    std::fs::remove_file(world.at(".proofhouse/config.toml")).unwrap();
    let said = run(&["init", "--yes"], Some(secret)).exits(0);
    assert!(
        said.out
            .contains("claude  (installed, with a key in $ANTHROPIC_API_KEY)"),
        "{}",
        said.out
    );
    assert!(!said.out.contains(secret));
    assert!(
        !world
            .read(".proofhouse/config.toml")
            .contains("[agents.claude]\n")
    );
    for file in [".proofhouse/config.toml", "agent/home/.codex/auth.json"] {
        std::fs::remove_file(world.at(file)).unwrap();
    }
    let said = run(&["init", "--yes"], None).exits(0);
    let told = format!("{}{}", said.out, said.err);
    assert!(told.contains("claude has no key"), "{told}");
}

#[test]
fn spend_is_summed_by_attempt_role_state_and_run() {
    let world = World::new();
    let script = HONEST
        .replace(
            "result = { summary = \"framed\" }",
            "result = { summary = \"framed\" }\nusage = { input_tokens = 10, output_tokens = 1, micro_dollars = 700 }",
        )
        .replace(
            "[[attempt]]\nstate = \"review\"\n",
            "[[attempt]]\nstate = \"review\"\nusage = { input_tokens = 3, micro_dollars = 50 }\n",
        );
    world.start(&script, &[]);
    world.run(&["run", "t"]).exits(0);
    let status = world.status();
    let spend = &status["spend"];
    assert_eq!(spend["run"]["micro_dollars"], 750);
    assert_eq!(spend["run"]["input_tokens"], 13);
    let attempts = status["attempts"].as_array().unwrap();
    assert_eq!(spend["run"]["attempts"], attempts.len());
    assert_eq!(spend["states"]["intake"]["micro_dollars"], 700);
    assert_eq!(spend["states"]["review"]["micro_dollars"], 50);
    assert_eq!(spend["states"]["shape"]["micro_dollars"], 0);
    let role = attempts[0]["role"].as_str().unwrap();
    assert_eq!(attempts[0]["usage"]["micro_dollars"], 700);
    assert!(spend["roles"][role]["micro_dollars"].as_u64().unwrap() >= 700);
    let sum: u64 = ["roles", "states"]
        .iter()
        .map(|by| {
            let parts = spend[by].as_object().unwrap().values();
            parts
                .map(|part| part["micro_dollars"].as_u64().unwrap())
                .sum::<u64>()
        })
        .sum();
    assert_eq!(sum, 2 * 750, "nothing is counted twice or left out");
    let said = world.run(&["status", "t"]).exits(0).out;
    assert!(
        said.contains("by state") && said.contains("intake $0.0007"),
        "{said}"
    );
}

#[test]
fn a_repository_does_not_choose_where_a_coding_agents_key_is_sent() {
    let world = World::new();
    let config = "[agents.codex]\nbase_url = \"https://models.example.org/v1\"\n";
    world.write(".proofhouse/config.toml", config);
    let asked = [
        "new", "phase", "--dir", "tasks/t", "--check", "true", "--agent", "codex",
    ];
    world.run(&asked).refuses(1, "setting_not_for_repository");
    // The person's own file may.
    std::fs::remove_file(world.at(".proofhouse/config.toml")).unwrap();
    world.write("agent/xdg/proofhouse/config.toml", config);
    world.run(&asked).exits(0);
}
