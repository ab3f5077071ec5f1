//! Money and tokens inside of an attempt of a coding agent: what it says while it works counts,
//! and it is stopped when nothing is left for the call that it is going to make.

use super::cast::{self, settings};
use super::{LONG, Met, Root, Scenario, meet_within, policy};
use crate::fake;
use crate::fake::coding;
use crate::world::{World, transcript};
use agents::{Agent, AgentSpec, External, Order, Price, Prices, Rates};
use kernel::effect::Allowance;
use kernel::outcome::Class;
use sandbox::Cancel;

const STOPPED: &str = "stopped by Proofhouse before its next call";
const AMPLE: u64 = u64::MAX;

fn allowed(micro_dollars: u64, tokens: u64) -> Allowance {
    Allowance {
        micro_dollars,
        tokens,
    }
}

/// The stand-in, with prices for the models that only count tokens.
fn priced(agent: &External, url: &str) -> Box<dyn Agent> {
    let rates = Rates {
        input: 5_000_000,
        cached: 5_000_000,
        written: 5_000_000,
        output: 25_000_000,
    };
    let price = Price {
        rates,
        ..Price::default()
    };
    let mut settings = settings(agent, url, LONG);
    // The agent says by itself which model it uses.
    if agent.name() == "claude" {
        settings.model = None;
    }
    let prices = Prices::none();
    settings.prices = prices.with("claude-fake", price).with("fake", price);
    let agent = agent.clone();
    let spec = AgentSpec::External { agent, settings };
    spec.build().expect("an agent")
}

fn played(agent: &External, scenario: Scenario, allowance: Allowance) -> Met {
    let order = |world: &World, port| Order {
        policy: Some(policy(world, port)),
        allowance,
        ..world.order()
    };
    meet_within(scenario, Root::Whole, &|_, url| priced(agent, url), order)
}

/// Who counts while it works: the tokens and the money of one message.
const COUNTING: &[(&str, u64, u64)] = &[
    ("claude", 1_001, 5_025),
    ("codex-app", 1_050, 6_250),
    ("opencode", 1_050, 1_100),
    ("pi", 1_050, 1_100),
];
/// Who says nothing of it until the end.
const SILENT: &[&str] = &["codex", "gemini"];
/// Who may do either, and is tried by itself below.
const EITHER: &[&str] = &["acp"];

#[test]
fn it_is_known_of_every_agent_when_it_counts() {
    let counting = COUNTING.iter().map(|(name, ..)| *name);
    let others = SILENT.iter().chain(EITHER).copied();
    fake::nobody_is_left_out(counting.chain(others));
}

#[test]
fn an_agent_that_counts_while_it_works_is_stopped_before_its_next_call() {
    // After one message, whose tool call asks for another: in the scenario, the server hangs then,
    // so that whoever is not stopped times out.
    for &(name, tokens, money) in COUNTING {
        let agent = coding(name);
        for (allowance, what) in [
            (allowed(money, AMPLE), "money"),
            (allowed(AMPLE, tokens), "tokens"),
            (allowed(1, AMPLE), "money"),
        ] {
            let met = played(&agent, Scenario::Hang, allowance);
            let reply = &met.reply;
            let told = transcript(reply);
            assert_eq!(reply.class, Class::Killed, "{name} {allowance:?}: {told}");
            // An agent that sees a budget stops early, and the next brief repeats the reason.
            assert_eq!(reply.reason, STOPPED, "{name}");
            let says = format!("killed by us: the cap of the {what} was reached");
            assert!(told.contains(&says), "{name}: {told}");
            assert_eq!(reply.result, None);
            let usage = reply.usage;
            assert_eq!(usage.input_tokens + usage.output_tokens, tokens, "{name}");
            assert_eq!(usage.micro_dollars, money, "{name}");
            let order = met.world.order();
            assert_eq!(priced(&agent, "").recover(&order), None, "{name}");
        }
    }
}

#[test]
fn the_last_message_may_go_over_because_it_is_paid_for() {
    for &(name, ..) in COUNTING {
        let met = played(&coding(name), Scenario::Works, allowed(AMPLE, 3_500));
        let reply = &met.reply;
        assert_eq!(reply.class, Class::Done, "{name}: {}", transcript(reply));
        assert_eq!(reply.usage.input_tokens, 4_006, "{name}");
    }
}

#[test]
fn an_agent_that_says_nothing_until_its_end_is_held_between_attempts() {
    for name in SILENT {
        let met = played(&coding(name), Scenario::Works, allowed(1, 1));
        let reply = &met.reply;
        assert_eq!(reply.class, Class::Done, "{name}: {}", transcript(reply));
        assert_eq!(reply.usage.input_tokens, 4_006, "{name}");
    }
}

#[test]
fn an_acp_agent_that_tells_its_cost_is_stopped_by_it() {
    let begins = r#"read a; echo '{"id":1,"result":{}}'; read b; echo '{"id":2,"result":{"sessionId":"s"}}'; read c;"#;
    let update = |text: &str| {
        format!(r#"echo '{{"method":"session/update","params":{{"update":{text}}}}}';"#)
    };
    let cost = update(r#"{"sessionUpdate":"usage_update","cost":{"amount":0.5,"currency":"USD"}}"#);
    let call = update(r#"{"sessionUpdate":"tool_call","title":"ls"}"#);
    let done = r#"echo '{"summary":"s"}' > "$PROOFHOUSE_RESULT"; echo '{"id":3,"result":{"stopReason":"end_turn"}}'"#;
    let run = |script: &str, micro_dollars: u64| {
        let world = World::new();
        let argv = vec![fake::program()];
        let agent = fake::agent(
            &world,
            External::named("acp", argv).expect("a connector"),
            script,
        );
        let order = Order {
            allowance: allowed(micro_dollars, AMPLE),
            ..world.order()
        };
        agent.run(&order, &Cancel::new(), &|_| {})
    };
    let works_on = format!("{begins}{cost}{call} exec sleep 600");
    let reply = run(&works_on, 500_000);
    assert_eq!(reply.reason, STOPPED, "{}", transcript(&reply));
    assert_eq!(reply.class, Class::Killed);
    assert_eq!(reply.usage.micro_dollars, 500_000);
    let ends = format!("{begins}{call}{cost}{done}");
    let ended = run(
        &ends.replace("tool_call\"", "agent_message_chunk\""),
        500_000,
    );
    assert_eq!(ended.class, Class::Done, "{}", transcript(&ended));
    let enough = run(&ends, 500_001);
    assert_eq!(enough.class, Class::Done, "{}", transcript(&enough));
}

#[test]
fn a_session_that_goes_on_is_not_paid_for_twice() {
    let begins = r#"read a; echo '{"id":1,"result":{"agentCapabilities":{"loadSession":true}}}'; read b; echo "$b" > "$PROOFHOUSE_RESULT.asked"; echo '{"id":2,"result":{}}'; read c;"#;
    // The whole session's cost, of which 0.6 was paid before.
    let cost = r#"echo '{"method":"session/update","params":{"update":{"sessionUpdate":"usage_update","cost":{"amount":0.75,"currency":"USD"}}}}';"#;
    let call = r#"echo '{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","title":"ls"}}}';"#;
    let done = r#"grep -q '"sessionId":"s"' "$PROOFHOUSE_RESULT.asked" && echo '{"summary":"s"}' > "$PROOFHOUSE_RESULT"; echo '{"id":3,"result":{"stopReason":"end_turn"}}'"#;
    let world = World::new();
    let argv = vec![fake::program()];
    let script = format!("{begins}{cost}{call}{done}");
    let agent = fake::agent(
        &world,
        External::named("acp", argv).expect("a connector"),
        &script,
    );
    let order = Order {
        allowance: allowed(400_000, AMPLE),
        continues: Some("s+$600000".to_owned()),
        ..world.order()
    };
    // A session goes on only in a home that has been used.
    agent.run(&order, &Cancel::new(), &|_| {});
    let reply = agent.run(&order, &Cancel::new(), &|_| {});
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    assert_eq!(reply.usage.micro_dollars, 150_000);
    assert_eq!(reply.session.as_deref(), Some("s+$750000"));
}

#[test]
fn a_cancel_is_still_a_cancel() {
    let cancel = Cancel::new();
    let world = World::new();
    let agent = cast::played(coding("pi"), "", LONG);
    cancel.cancel();
    let order = Order {
        allowance: allowed(0, 0),
        ..world.order()
    };
    let reply = agent.run(&order, &cancel, &|_| {});
    assert_eq!(reply.class, Class::Killed);
    assert_eq!(reply.reason, "killed by Proofhouse: cancelled");
}
