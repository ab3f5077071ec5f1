//! Whether a shipped contract does what a plan needs.

use factory::contract::from_plan::surface;
use factory::micro_plan::IoContract;
use languages::fit::misfits;

fn plan(inputs: &[&str], outputs: &[&str], errors: &[&str], effects: &[&str]) -> IoContract {
    let list = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    IoContract {
        inputs: list(inputs),
        outputs: list(outputs),
        error_surfaces: list(errors),
        effects: list(effects),
        modes: list(&["sync"]),
    }
}

#[test]
fn s14_3_what_is_reused_takes_gives_refuses_and_does_what_the_plan_needs() {
    let shipped = plan(
        &["text: &str; not empty", "limit: usize; optional"],
        &["slug: String; lower case", "cut: bool"],
        &["Empty: nothing is there", "Long: too much of it"],
        &["none: pure"],
    );
    let against = |needed: &IoContract| -> Vec<String> {
        let (needed, shipped) = (surface(needed), surface(&shipped));
        let all = misfits(needed.surface(), shipped.surface()).into_iter();
        all.map(|one| format!("{}: {}", one.dimension, one.what))
            .collect()
    };
    let need = |inputs: &[&str], outputs: &[&str], errors: &[&str], effects: &[&str]| {
        against(&plan(inputs, outputs, errors, effects))
    };
    let (text, slug, empty, none) = (
        "text:  & str; Not  empty",
        "slug: String",
        "Empty: so",
        "none",
    );
    assert_eq!(
        need(&[text], &[slug], &[empty], &[none]),
        Vec::<String>::new(),
        "more outputs, more errors and an optional input hinder nobody"
    );
    let one = |all: Vec<String>, words: &str| {
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].contains(words), "{all:?}");
    };
    one(
        need(&[text, "separator: char"], &[slug], &[empty], &[none]),
        "inputs: it takes no `separator`",
    );
    one(
        need(&["text: Vec<u8>"], &[slug], &[empty], &[none]),
        "inputs: `text` is `&str` there and `Vec<u8>` here",
    );
    one(
        need(&["text: &str"], &[slug], &[empty], &[none]),
        "inputs: `text` must be `not empty` there",
    );
    one(
        need(
            &["text: &str; not empty; optional"],
            &[slug],
            &[empty],
            &[none],
        ),
        "inputs: `text` may not be left out there",
    );
    one(
        need(
            &[text],
            &["slug: String; at most 80 long"],
            &[empty],
            &[none],
        ),
        "outputs: `slug` is not said to be `at most 80 long`",
    );
    assert_eq!(
        need(
            &[text, "limit: usize; below 9"],
            &["slug: String; LOWER case"],
            &[empty],
            &[none]
        ),
        Vec::<String>::new(),
        "a need that gives less and asks for what is said is met"
    );
    one(
        need(&["none"], &[slug], &[empty], &[none]),
        "inputs: it needs `text: &str`",
    );
    one(
        need(&[text], &["cents: u64"], &[empty], &[none]),
        "outputs: it gives no `cents`",
    );
    one(
        need(&[text], &[slug], &["Blank: all blanks"], &[none]),
        "error_surfaces: it never says `Blank`",
    );
    one(
        need(&[text], &[slug], &[empty], &["WRITE log: a line"]),
        "effects: it does not act on `log`",
    );
    let mut waits = plan(&[text], &[slug], &[empty], &[none]);
    waits.modes = vec!["async".to_owned()];
    one(against(&waits), "modes: it is not async");
}
