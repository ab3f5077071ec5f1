//! A product in Rust: one workspace, whose root package re-exports its modules and has the command;
//! each module is a crate below `modules/` with its own tests.

use super::EDITION;
use crate::Files;
use crate::product::{Case, Command, EXAMPLE, Part, Product, Shows, Takes, Then};

/// Words that no module of ours can be called in code.
const TAKEN: [&str; 8] = [
    "type", "match", "move", "use", "loop", "ref", "self", "crate",
];

/// All files but the README.
pub fn product(product: &Product) -> Files {
    let mut files = Files::new();
    let mut write = |path: String, text: String| {
        files.insert(path, text);
    };
    write("Cargo.toml".to_owned(), manifest(product));
    write(".gitignore".to_owned(), "/target\n".to_owned());
    write("src/lib.rs".to_owned(), facade(product));
    if let Some(command) = &product.command {
        write("src/main.rs".to_owned(), main(product, command));
        if !product.cases.is_empty() {
            write("tests/product.rs".to_owned(), cases(product));
        }
    }
    for part in &product.parts {
        let folder = format!("modules/{}", part.package);
        write(format!("{folder}/Cargo.toml"), of_part(part));
        for (path, text) in &part.code {
            write(format!("{folder}/src/{path}"), text.clone());
        }
        for (path, text) in &part.tests {
            write(format!("{folder}/tests/{path}"), text.clone());
        }
    }
    files
}

fn manifest(product: &Product) -> String {
    let mut text = format!(
        "[package]\nname = \"{}\"\nversion = \"{}\"\nedition = \"{EDITION}\"\ndescription = {}\n\n[dependencies]\n",
        product.name,
        product.version,
        quoted(&one_line(&product.about)),
    );
    for part in &product.parts {
        text.push_str(&format!(
            "{0} = {{ path = \"modules/{0}\" }}\n",
            part.package
        ));
    }
    text.push_str(
        "\n[workspace]\nmembers = [\"modules/*\"]\ndefault-members = [\".\", \"modules/*\"]\n",
    );
    text
}

fn of_part(part: &Part) -> String {
    let mut text = format!(
        "[package]\nname = \"{}\"\nversion = \"{}\"\nedition = \"{EDITION}\"\ndescription = {}\npublish = false\n\n[lib]\ndoctest = false\n\n[lints.rust]\n# Tests are named by what they show: `error__empty`.\nnon_snake_case = \"allow\"\n\n[dependencies]\n",
        part.package,
        part.version,
        quoted(&one_line(&part.purpose)),
    );
    for used in &part.uses {
        text.push_str(&format!("{used} = {{ path = \"../{used}\" }}\n"));
    }
    text
}

/// What the product makes public: each module by its short name, and the front one at the top.
fn facade(product: &Product) -> String {
    let mut text = comment("//!", &product.about);
    for part in &product.parts {
        let short = part.short_name();
        let is_name = short.starts_with(|first: char| first.is_ascii_alphabetic());
        let name = match is_name && !TAKEN.contains(&short.as_str()) {
            true => short,
            false => part.code_name(),
        };
        text.push_str(&format!(
            "\n{}pub mod {name} {{\n    pub use {}::*;\n}}\n",
            comment("///", &part.purpose),
            part.code_name()
        ));
    }
    if let Some(front) = product.front.as_ref().and_then(|one| product.part(one)) {
        text.push_str(&format!("\npub use {}::*;\n", front.code_name()));
    }
    text
}

fn main(product: &Product, command: &Command) -> String {
    let (shown, terminal) = match product.example() {
        Some(given) => (
            format!(
                "        None if std::io::stdin().is_terminal() => {{\n            eprintln!({EXAMPLE:?});\n            Ok({given:?}.to_owned())\n        }}\n"
            ),
            "use std::io::{IsTerminal, Read};\n",
        ),
        None => (String::new(), "use std::io::Read;\n"),
    };
    let by_reference = command.written.trim_start().starts_with('&');
    let lend = if by_reference { "&" } else { "" };
    let called = format!("{}::{}", crate_name(product), command.function);
    let call = match command.takes {
        Takes::Text => format!("    let given = {called}({lend}text);\n"),
        Takes::Lines => {
            let (of, each) = match command.written.contains("str") {
                true => ("&str", "text.lines()"),
                false => ("String", "text.lines().map(str::to_owned)"),
            };
            format!(
                "    let lines: Vec<{of}> = {each}.collect();\n    let given = {called}({lend}lines);\n"
            )
        }
    };
    let error = match command.error {
        Shows::Words => "{error}",
        Shows::Parts => "{error:?}",
    };
    let answer = match command.fails {
        true => format!(
            "    match given {{\n        Ok(given) => println!(\"{{given}}\"),\n        Err(error) => {{\n            eprintln!(\"{error}\");\n            return ExitCode::FAILURE;\n        }}\n    }}\n"
        ),
        false => "    println!(\"{given}\");\n".to_owned(),
    };
    let usage = product.usage();
    format!(
        "//! Reads a file, or standard input, and prints what it comes to.\n\n{terminal}use std::process::ExitCode;\n\nconst USAGE: &str = {usage:?};\n\nfn main() -> ExitCode {{\n    let read = match std::env::args().nth(1) {{\n        Some(path) if path == \"-h\" || path == \"--help\" => {{\n            print!(\"{{USAGE}}\");\n            return ExitCode::SUCCESS;\n        }}\n        Some(path) => std::fs::read_to_string(&path).map_err(|error| format!(\"{{path}}: {{error}}\")),\n{shown}        None => {{\n            let mut text = String::new();\n            let read = std::io::stdin().read_to_string(&mut text);\n            read.map(|_| text).map_err(|error| error.to_string())\n        }}\n    }};\n    let text = match read {{\n        Ok(text) => text,\n        Err(why) => {{\n            eprintln!(\"{{why}}\");\n            return ExitCode::FAILURE;\n        }}\n    }};\n{call}{answer}    ExitCode::SUCCESS\n}}\n",
    )
}

/// As code calls the root package.
fn crate_name(product: &Product) -> String {
    product.name.replace('-', "_")
}

/// The cases of the spec as tests of the command, from outside.
fn cases(product: &Product) -> String {
    let mut text = format!(
        "//! What the spec promises of the command, each case as it was run before the release.\n\nuse std::io::Write;\nuse std::process::{{Command, Output, Stdio}};\n\nfn run(given: &str) -> Output {{\n    let mut child = Command::new(env!(\"CARGO_BIN_EXE_{}\"))\n        .stdin(Stdio::piped())\n        .stdout(Stdio::piped())\n        .stderr(Stdio::piped())\n        .spawn()\n        .expect(\"the command starts\");\n    let mut stdin = child.stdin.take().expect(\"it reads\");\n    stdin.write_all(given.as_bytes()).expect(\"it reads all\");\n    drop(stdin);\n    child.wait_with_output().expect(\"it ends\")\n}}\n",
        product.name
    );
    for (at, case) in product.cases.iter().enumerate() {
        text.push_str(&of_case(at + 1, case));
    }
    text
}

fn of_case(number: usize, case: &Case) -> String {
    let checks = match &case.then {
        Then::Prints(line) => format!(
            "    assert!(output.status.success());\n    let printed = String::from_utf8_lossy(&output.stdout);\n    assert_eq!(printed.trim_end(), {:?});\n",
            line.trim_end()
        ),
        Then::Refuses(why) => format!(
            "    assert!(!output.status.success());\n    let said = String::from_utf8_lossy(&output.stderr);\n    assert!(said.contains({why:?}), \"{{said}}\");\n"
        ),
        // A command is not asked by its names.
        Then::Answers(_) => String::new(),
    };
    format!(
        "\n{}#[test]\nfn case_{number}() {{\n    let output = run({:?});\n{checks}}}\n",
        comment("///", &case.shows),
        case.given
    )
}

/// A text as lines of a comment.
fn comment(mark: &str, text: &str) -> String {
    let lines = text.lines().map(|line| format!("{mark} {}", line.trim()));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As TOML writes a text: the escapes of JSON are among its own.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
