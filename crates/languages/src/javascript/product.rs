//! A product in JavaScript: one package without dependencies, a folder for each module, and one file
//! that hands on the names of the front; tests lie in `tests/`, by module.

use super::{MAIN, imports, quoted, written};
use crate::Files;
use crate::product::{Command, EXAMPLE, Part, Product, Takes, Then};
use serde_json::{Map, Value, json};

/// All files but the README.
pub fn product(product: &Product) -> Files {
    let mut files = Files::new();
    written(&mut files, "package.json", manifest(product));
    written(&mut files, ".gitignore", "node_modules/\n".to_owned());
    written(&mut files, "index.mjs", facade(product));
    if let Some(command) = &product.command {
        written(&mut files, MAIN, main(product, command));
        if !product.cases.is_empty() {
            written(&mut files, "tests/product.test.mjs", cases(product));
        }
    }
    for part in &product.parts {
        let name = part.code_name();
        for (path, text) in &part.code {
            written(&mut files, &format!("modules/{name}/{path}"), text.clone());
        }
        for (path, text) in &part.tests {
            written(&mut files, &format!("tests/{name}/{path}"), text.clone());
        }
    }
    files
}

fn root(part: &Part) -> String {
    format!("modules/{}/index.mjs", part.code_name())
}

fn manifest(product: &Product) -> String {
    let mut exports = Map::from_iter([(".".to_owned(), Value::from("./index.mjs"))]);
    for part in &product.parts {
        let name = format!("./{}", part.short_name());
        exports.insert(name, format!("./{}", root(part)).into());
    }
    let names: Vec<String> = product.parts.iter().map(Part::code_name).collect();
    let roots = product.parts.iter().map(root);
    let mut value = json!({
        "name": product.name,
        "version": product.version,
        "description": product.about.split_whitespace().collect::<Vec<_>>().join(" "),
        "type": "module",
        "engines": {"node": ">=20"},
        "exports": exports,
        "imports": imports(names.iter().map(String::as_str).zip(roots)),
        "scripts": {"test": "node --test"},
    });
    if product.command.is_some() {
        value["bin"] = json!({ &product.name: format!("./{MAIN}") });
        value["scripts"]["start"] = format!("node {MAIN}").into();
    }
    format!("{value:#}\n")
}

fn comment(text: &str) -> String {
    let lines = text.lines().map(|line| format!("// {line}"));
    lines.collect::<Vec<_>>().join("\n").replace(" \n", "\n")
}

/// The names of the front; where there is none, every module under its own.
fn facade(product: &Product) -> String {
    let mut text = format!("{}\n\n", comment(product.about.trim()));
    match product.front.as_ref().and_then(|one| product.part(one)) {
        Some(front) => text.push_str(&format!("export * from \"#{}\";\n", front.code_name())),
        None => {
            for part in &product.parts {
                let (short, name) = (part.short_name(), part.code_name());
                text.push_str(&format!("export * as {short} from \"#{name}\";\n"));
            }
        }
    }
    text
}

fn main(product: &Product, command: &Command) -> String {
    let shown = product.example().map_or_else(String::new, |given| {
        format!(
            "  if (process.stdin.isTTY) {{\n    console.error({});\n    return {};\n  }}\n",
            quoted(EXAMPLE),
            quoted(given)
        )
    });
    let argument = match command.takes {
        Takes::Text => "read()",
        Takes::Lines => "read().replace(/\\r?\\n$/, \"\").split(/\\r?\\n/)",
    };
    let usage = quoted(product.usage().trim_end());
    format!(
        "#!/usr/bin/env node\n// Reads a file, or standard input, and prints what it comes to.\n\nimport {{ readFileSync }} from \"node:fs\";\nimport {{ {0} }} from \"#{1}\";\n\nconst usage = {usage};\n\nfunction read() {{\n  if (process.argv.length > 2) return readFileSync(process.argv[2], \"utf8\");\n{shown}  return readFileSync(0, \"utf8\");\n}}\n\nif ([\"-h\", \"--help\"].includes(process.argv[2])) {{\n  console.log(usage);\n}} else {{\n  try {{\n    console.log(String({0}({argument})));\n  }} catch (error) {{\n    console.error(`${{error?.constructor?.name}}: ${{error?.message}}`);\n    process.exitCode = 1;\n  }}\n}}\n",
        command.function,
        command.package.replace('-', "_"),
    )
}

fn cases(product: &Product) -> String {
    let mut text = format!(
        "// What the spec promises of the command, each case as it was run before the release.\n\nimport assert from \"node:assert/strict\";\nimport {{ spawnSync }} from \"node:child_process\";\nimport test from \"node:test\";\nimport {{ fileURLToPath }} from \"node:url\";\n\nconst main = fileURLToPath(new URL(\"../{MAIN}\", import.meta.url));\nconst run = (input) => spawnSync(process.execPath, [main], {{ input, encoding: \"utf8\" }});\n"
    );
    for (at, case) in product.cases.iter().enumerate() {
        let checks = match &case.then {
            Then::Prints(line) => format!(
                "  assert.equal(output.status, 0, output.stderr);\n  assert.equal(output.stdout.trimEnd(), {});\n",
                quoted(line.trim_end())
            ),
            Then::Refuses(why) => format!(
                "  assert.notEqual(output.status, 0);\n  assert.ok(output.stderr.includes({}), output.stderr);\n",
                quoted(why)
            ),
            // A command is not asked by its names.
            Then::Answers(_) => String::new(),
        };
        text.push_str(&format!(
            "\n// {}\ntest(\"case {}\", () => {{\n  const output = run({});\n{checks}}});\n",
            case.shows.split_whitespace().collect::<Vec<_>>().join(" "),
            at + 1,
            quoted(&case.given)
        ));
    }
    text
}
