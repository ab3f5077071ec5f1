//! What is marked, what is changed, and what is let be.

use super::*;

fn plan(before: &str, now: &str, test: &str) -> Mutants {
    let source = Source {
        path: "src/lib.rs",
        now,
        before: Some(before),
    };
    mutants(&Wanted {
        seed: "5eed",
        sources: &[source],
        tests: &[test],
        again: &[],
        constants: 10,
        each: 0,
        others: 5,
    })
}

#[test]
fn a_changed_function_is_marked_and_gets_the_answers_of_its_type() {
    let before = "pub fn same() -> u8 {\n    7\n}\n";
    let now = format!(
        "{before}pub fn total(prices: &[u32]) -> Result<u32, Error> {{\n    if prices.is_empty() {{\n        return Err(Error::None);\n    }}\n    log(prices);\n    Ok(prices.iter().filter(|one| **one > 2).sum())\n}}\n#[cfg(test)]\nmod tests {{\n    fn helper() {{ one() }}\n}}\n"
    );
    let test =
        "#[test]\nfn two() { assert_eq!(total(&[1, 2]), Ok(3u32)); assert_eq!(other(), 9); }\n";
    let plan = plan(before, &now, test);
    let names: Vec<&str> = plan.functions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["total"]);
    assert_eq!(plan.code[0].text.matches("static SEEN").count(), 1);
    let mut said: Vec<&str> = plan.constants.iter().map(|one| one.what.as_str()).collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            "always gives Err(Error::None)",
            "always gives Ok(0)",
            "always gives Ok(3)",
            "gives 0 where it gives something, and refuses as before"
        ]
    );
    let mut small: Vec<&str> = plan.others.iter().map(|one| one.what.as_str()).collect();
    small.sort_unstable();
    assert_eq!(
        small,
        [
            "`**one > 2` with `>=`",
            "`log(prices)` dropped",
            "`prices.is_empty()` negated"
        ]
    );
    for mutant in plan.constants.iter().chain(&plan.others) {
        assert!(syn::parse_file(&mutant.text).is_ok(), "{}", mutant.text);
        assert!(mutant.text.contains("static SEEN"), "{}", mutant.what);
    }
}

#[test]
fn functions_without_a_result_and_methods_are_mutated_as_well() {
    let now = "impl Cart {\n    pub fn name(&self) -> &str { \"cart\" }\n    pub fn push(&mut self, one: u8) { self.all.push(one); }\n    pub fn echo(&self, text: String) -> String { text + \"!\" }\n}\nconst fn no() -> u8 { 1 }\n";
    let plan = plan(
        "",
        now,
        "fn t() { assert_eq!(cart.name(), \"cart\"); assert!(!full(&cart)); }",
    );
    let mut said: Vec<String> = plan
        .constants
        .iter()
        .map(|one| {
            let mut functions = plan.functions.iter();
            let of = functions.find(|function| function.number == one.number);
            let name = of.map_or("", |function| function.name.as_str());
            format!("`{name}` ({}:{}) {}", one.path, one.line, one.what)
        })
        .collect();
    said.sort();
    assert_eq!(
        said,
        [
            "`Cart::echo` (src/lib.rs:4) always gives String::new()",
            "`Cart::echo` (src/lib.rs:4) gives back `text`",
            "`Cart::name` (src/lib.rs:2) always gives \"\"",
            "`Cart::push` (src/lib.rs:3) does nothing",
        ]
    );
}

#[test]
fn whatever_an_agent_wrote_gets_an_answer() {
    let deep = |open: &str, close: &str, times: usize| {
        let value = format!("{}1{}", open.repeat(times), close.repeat(times));
        format!("pub fn f() -> u8 {{ {value} }}\n")
    };
    for text in [
        deep("(", ")", 50_000),
        deep("- ", "", 50_000),
        deep("if a {} else ", "", 50_000),
        deep("f(|| ", ")", 50_000),
        deep("", ".a", 50_000),
    ] {
        let plan = plan("", &text, "");
        assert!(plan.functions.is_empty());
        assert!(
            plan.faults[0].starts_with("src/lib.rs:1: "),
            "{:?}",
            plan.faults
        );
    }
    // A long chain of calls is honest.
    let plan = plan("", &deep("", ".add(1)", 500), "");
    assert_eq!((plan.functions.len(), plan.faults.len()), (1, 0));
}

#[test]
fn what_stands_before_the_first_token_stays_and_moves_nothing() {
    for head in [
        "\u{feff}",
        "#!/usr/bin/env run-cargo-script",
        "\u{feff}\u{feff}",
    ] {
        let now = format!("{head}\n// é\npub fn name() -> u8 {{ let é = 3; é }}\n");
        let plan = plan("", &now, "");
        let mutants = plan.constants.iter().chain(&plan.others);
        let texts: Vec<&str> = mutants.map(|one| one.text.as_str()).collect();
        assert!(!texts.is_empty(), "{:?}", plan.faults);
        for text in texts {
            assert!(text.starts_with(head), "{text}");
            assert!(
                syn::parse_file(text.trim_start_matches('\u{feff}')).is_ok(),
                "{text}"
            );
        }
    }
}

#[test]
fn what_refuses_may_give_something_else() {
    let said = |now: &str| {
        let plan = plan("", now, "");
        let mut all = plan.constants.into_iter();
        let found = all.find(|one| one.what.ends_with("refuses as before"));
        found.map(|one| {
            assert!(syn::parse_file(&one.text).is_ok(), "{}", one.text);
            one.text.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    };
    for (now, made) in [
        (
            "fn f(a: &str) -> Result<u32, Bad> { a.parse().map_err(|_| Bad) }",
            "(move || -> Result<u32, Bad> { a.parse().map_err(|_| Bad) })(); return own.map(|_| 0);",
        ),
        (
            "fn f(a: &[u8]) -> Option<String> { let one = a.first()?; Some(one.to_string()) }",
            "return own.map(|_| String::new());",
        ),
        (
            "async fn f(a: u8) -> Result<u8, Bad> { g(a).await? ; Ok(a) }",
            "let own: Result<u8, Bad> = async move { g(a).await? ; Ok(a) }.await;",
        ),
        (
            "fn f(a: u8) -> u8 { assert!(a > 1); a }",
            "let _ = own; return 0;",
        ),
    ] {
        let text = said(now).unwrap_or_default();
        assert!(text.contains(made), "{text}");
    }
    for now in [
        "fn f(a: u8) -> u8 { a }",
        "fn f(a: u8) -> Result<(), Bad> { if a > 1 { return Err(Bad) } Ok(()) }",
        "fn f(a: u8) -> Result<Other, Bad> { Err(Bad) }",
        "fn f(a: u8) -> Option<u8> { Some(a) }",
    ] {
        assert_eq!(said(now), None, "{now}");
    }
}
