//! Whether a shipped contract does what a plan needs (rules F10.1 and F14.3): a caller who knows only
//! the need must be able to use what is there. It compares names, types, constraints, invariants,
//! effects and modes. What is reused meets no Challenger, so nobody weighs its prose later: words that
//! differ are taken for a difference, and the module is made instead.

use crate::dimensions::{Input, SurfaceRef, is_optional};

/// One thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Which of the five dimensions.
    pub dimension: &'static str,
    /// A sentence.
    pub what: String,
}

/// Blanks are nobody's type.
fn same_type(left: &str, right: &str) -> bool {
    let bare = |text: &str| -> String { text.split_whitespace().collect() };
    bare(left) == bare(right)
}

/// The same words, whatever the blanks and capitals between them.
fn same_words(left: &str, right: &str) -> bool {
    let bare = |text: &str| -> Vec<String> {
        let words = text.split_whitespace();
        words.map(str::to_lowercase).collect()
    };
    bare(left) == bare(right)
}

/// What `these` say and `those` do not.
fn unsaid<'a>(these: &'a [String], those: &'a [String]) -> impl Iterator<Item = &'a String> {
    let said = |one: &String| those.iter().any(|other| same_words(one, other));
    these.iter().filter(move |one| !said(one))
}

/// A caller may give whatever the need allows, so what is offered may ask for no more.
fn asks_more(needed: &Input, offered: &Input) -> Vec<String> {
    let stricter = unsaid(&offered.constraints, &needed.constraints);
    // That something may be left out binds nobody.
    let stricter = stricter.filter(|one| !is_optional(one));
    let mut all: Vec<String> = stricter
        .map(|one| {
            format!(
                "`{}` must be `{one}` there, and need not be here",
                needed.name
            )
        })
        .collect();
    if needed.is_optional() && !offered.is_optional() {
        all.push(format!("`{}` may not be left out there", needed.name));
    }
    all
}

/// Everything that keeps `offered` from doing the work of `needed`; empty: it fits.
pub fn misfits(needed: SurfaceRef<'_>, offered: SurfaceRef<'_>) -> Vec<Misfit> {
    let mut found = Vec::new();
    let mut say = |dimension, what: String| found.push(Misfit { dimension, what });
    for input in needed.inputs {
        match offered.inputs.iter().find(|one| one.name == input.name) {
            None => say("inputs", format!("it takes no `{}`", input.name)),
            Some(one) if !same_type(&one.type_, &input.type_) => say(
                "inputs",
                format!(
                    "`{}` is `{}` there and `{}` here",
                    input.name, one.type_, input.type_
                ),
            ),
            Some(one) => {
                for what in asks_more(input, one) {
                    say("inputs", what);
                }
            }
        }
    }
    // What may be left out hinders nobody.
    let asked = offered.inputs.iter().filter(|one| !one.is_optional());
    for input in asked.filter(|one| needed.inputs.iter().all(|own| own.name != one.name)) {
        say(
            "inputs",
            format!(
                "it needs `{}: {}`, which the plan does not give",
                input.name, input.type_
            ),
        );
    }
    for output in needed.outputs {
        match offered.outputs.iter().find(|one| one.name == output.name) {
            None => say("outputs", format!("it gives no `{}`", output.name)),
            Some(one) if !same_type(&one.type_, &output.type_) => say(
                "outputs",
                format!(
                    "`{}` is `{}` there and `{}` here",
                    output.name, one.type_, output.type_
                ),
            ),
            // More invariants than are needed hinder nobody.
            Some(one) => {
                for invariant in unsaid(&output.invariants, &one.invariants) {
                    let what = format!("`{}` is not said to be `{invariant}`", output.name);
                    say("outputs", what);
                }
            }
        }
    }
    // Another way to fail breaks no caller (rule F7); one that is asked for must be there.
    for error in needed.error_surfaces {
        let there = offered.error_surfaces.iter();
        if there.clone().all(|one| one.name != error.name) {
            say("error_surfaces", format!("it never says `{}`", error.name));
        }
    }
    let acts = |surface: SurfaceRef<'_>, of: &crate::dimensions::Effect| {
        let mut all = surface.effects.iter();
        all.any(|one| one.type_ == of.type_ && one.target == of.target)
    };
    for effect in needed.effects.iter().filter(|one| !acts(offered, one)) {
        say("effects", format!("it does not act on `{}`", effect.target));
    }
    for effect in offered.effects.iter().filter(|one| !acts(needed, one)) {
        say(
            "effects",
            format!(
                "it acts on `{}`, which the plan does not want",
                effect.target
            ),
        );
    }
    for (name, wanted, has) in [
        ("sync", needed.modes.sync, offered.modes.sync),
        ("async", needed.modes.async_, offered.modes.async_),
    ] {
        if wanted && !has {
            say("modes", format!("it is not {name}"));
        }
    }
    found
}
