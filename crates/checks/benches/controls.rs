//! What controls cost: one change in Python, proven without and with them. It prints figures and
//! asserts nothing: they are this machine's.
#![allow(clippy::unwrap_used)]

#[path = "../tests/it/world.rs"]
#[allow(dead_code)]
mod world;

use checks::run_gate;
use kernel::effect::CheckSpec;
use serde_json::{Value, json};
use std::time::Instant;
use world::{Example, World};

fn main() {
    let line = "python3 -m unittest";
    let text = |files: &[(&str, &str)]| {
        let owned = files
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()));
        owned.collect()
    };
    let tests = "import unittest\nimport shop\nclass Totals(unittest.TestCase):\n    def test_sums(self):\n        self.assertEqual(shop.total([1, 2]), 3)\n        self.assertEqual(shop.total([]), 0)\n    def test_tax(self):\n        self.assertEqual(shop.tax(10), 12)\n        self.assertEqual(shop.tax(-1), 0)\n";
    let example = Example {
        repo: text(&[
            (
                "shop.py",
                "def total(prices):\n    return sum(prices)\ndef tax(price):\n    if price < 0:\n        return 0\n    return price + price // 5\n",
            ),
            ("test_shop.py", tests),
        ]),
        before: text(&[("shop.py", "def total(prices):\n    return prices[0]\n")]),
        commands: vec![line.to_owned()],
        frozen: vec![("ground".to_owned(), "commands".to_owned(), line.to_owned())],
        ..Example::default()
    };
    let gate = |controls: &str| {
        let with = json!({
            "base": "tests", "frozen": ["ground"], "tests": ["repo/test_*.py"], "controls": controls,
        });
        let spec = CheckSpec {
            check: "red_green".into(),
            with,
            weight: Default::default(),
            shows: None,
            code: None,
        };
        let world = World::new();
        let started = Instant::now();
        let results = world.with(&example, |subject| run_gate(&[spec], subject));
        let millis = started.elapsed().as_millis();
        for result in &results {
            println!("  {}: {}", result.check, result.reason);
        }
        let kept = world.vault.0.lock().unwrap();
        let kept = kept.iter().rfind(|(name, _)| name == "controls");
        let kept: Option<Value> = kept.map(|(_, bytes)| serde_json::from_slice(bytes).unwrap());
        (millis, kept)
    };
    let (plain, _) = gate("off");
    println!("without controls: {plain} ms");
    let (whole, kept) = gate("on");
    println!("with controls: {whole} ms");
    let kept = kept.unwrap();
    let suite = kept["suite_millis"].as_u64().unwrap_or_default();
    println!("the suite alone: {suite} ms");
    let mut sum = 0;
    let mut count = 0;
    for mutant in kept["mutants"].as_array().unwrap() {
        let what = mutant["what"].as_str().unwrap_or_default();
        let fate = mutant["fate"].as_str().unwrap_or_default();
        let Some(millis) = mutant["millis"].as_u64() else {
            println!("  {fate:<9}       -  {what}");
            continue;
        };
        println!("  {fate:<9} {millis:>5} ms  {what}");
        sum += millis;
        count += 1;
    }
    let each = sum / count.max(1);
    println!(
        "mutants: {count}, {each} ms each, {:.1} times the suite alone; all of them {:.1} times",
        each as f64 / suite.max(1) as f64,
        sum as f64 / suite.max(1) as f64
    );
    println!(
        "share of the gate: {} %; controls besides mutants: {} ms; the gate is {:.1} times the one without",
        u128::from(sum) * 100 / whole.max(1),
        whole.saturating_sub(plain).saturating_sub(u128::from(sum)),
        whole as f64 / plain.max(1) as f64
    );
}
