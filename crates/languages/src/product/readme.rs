//! The README of a product: what the spec says that it is, how it is run and tested, and what it did
//! when it was tried. Nothing stands in it that was not run or shipped.

use super::called::shown;
use super::{Case, Ordinary, Product, Then};
use crate::{Language, javascript};
use std::fmt::Write;

/// `seen` is, as far as cases were run, what each was refused with, or what each call of it came to.
pub fn text(
    title: &str,
    product: &Product,
    language: Language,
    test: &[&str],
    seen: &[String],
) -> String {
    let mut text = format!("# {}\n\n{}\n", line(title), product.about.trim());
    // Writing to a string cannot fail; the results are dropped for that reason.
    if product.command.is_some() {
        let run = run(product, language);
        let _ = write!(
            text,
            "\n## Run it\n\n```sh\n{run} FILE\n{} < FILE\n```\n\nIt reads the file, or standard input, and prints what it comes to.{}\n",
            run.trim_end_matches(" --"),
            match product
                .cases
                .iter()
                .any(|case| matches!(case.then, Then::Prints(_)))
            {
                true =>
                    " At a terminal and without either it shows the first example below, and says so.",
                false => "",
            }
        );
    }
    if !product.cases.is_empty() {
        text.push_str("\n## What it does\n\nEach of these was run before the release.\n");
        if product.command.is_none() {
            let used = used(product, language);
            let _ = write!(
                text,
                "\n{}\n\nWhat goes in and comes out is written as JSON.\n",
                fenced(&used)
            );
        }
        for (at, case) in product.cases.iter().enumerate() {
            let seen = seen.get(at);
            let (word, said) = match &case.then {
                Then::Prints(printed) => ("prints", printed),
                Then::Refuses(why) => ("is refused with", seen.unwrap_or(why)),
                Then::Answers(_) => {
                    let called = seen.cloned().unwrap_or_else(|| calls(case));
                    let _ = write!(text, "\n{}\n", fenced(&called));
                    continue;
                }
            };
            let given = match case.given.trim().is_empty() {
                true => "Nothing to read".to_owned(),
                false => fenced(&case.given),
            };
            let _ = write!(text, "\n{given}\n\n{word}\n\n{}\n", fenced(said));
        }
    }
    let _ = write!(
        text,
        "\n## What it is made of\n\n| module | what it is for |\n|---|---|\n"
    );
    for part in &product.parts {
        let _ = writeln!(
            text,
            "| `{}` {} | {} |",
            part.package,
            part.version,
            line(&part.purpose).replace('|', "\\|")
        );
    }
    let _ = write!(text, "\n## Test it\n\n```sh\n{}\n```\n", test.join(" "));
    text
}

/// What whoever calls it writes first.
fn used(product: &Product, language: Language) -> String {
    let package = product.name.replace('-', "_");
    match language {
        Language::Rust => format!("use {package}::*;"),
        Language::Python => format!("from {package} import *"),
        Language::JavaScript => format!("import * as {package} from {:?};", product.name),
    }
}

/// The calls of a case, each on a line.
fn calls(case: &Case) -> String {
    let Then::Answers(asked) = &case.then else {
        return String::new();
    };
    let calls: Vec<String> = asked.steps.iter().map(shown).collect();
    calls.join("\n")
}

/// How people run it in its folder.
pub fn run(product: &Product, language: Language) -> String {
    let ordinary = Ordinary::of(language).run;
    match language {
        Language::Rust => format!("{ordinary} --"),
        Language::Python => format!("{ordinary} {}", product.name.replace('-', "_")),
        Language::JavaScript => format!("{ordinary} {}", javascript::MAIN),
    }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Between fences that nothing in it can close.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
