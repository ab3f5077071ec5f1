//! The README of a product: what the spec says that it is, how it is run and tested, and what it did
//! when it was tried. Nothing stands in it that was not run or shipped.

use languages::product::{Ordinary, Product, Then};
use languages::{Language, javascript};
use std::fmt::Write;

/// `seen` is what each case was refused with, as far as they were run.
pub(super) fn text(
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
        for (at, case) in product.cases.iter().enumerate() {
            let (word, said) = match &case.then {
                Then::Prints(printed) => ("prints", printed),
                Then::Refuses(why) => ("is refused with", seen.get(at).unwrap_or(why)),
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

/// How people run it in its folder.
pub(super) fn run(product: &Product, language: Language) -> String {
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
