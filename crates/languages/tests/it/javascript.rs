//! What a module in JavaScript makes public, as the script of ours reads it, and what it may not reach
//! for; every honest twin passes. Where there is no node, each test says that it skips.

use languages::asked::{Said, command, read};
use languages::{Extracted, Kind, Language};
use std::path::PathBuf;
use std::process::Command;

const CORE: &str =
    "export function other(a, b = 1) { return a; }\nexport class Base extends Error {}\n";

fn folder(case: &str, text: &str, test: &str) -> PathBuf {
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("javascript-{case}"));
    for (path, text) in [
        ("implementation/index.mjs", text),
        ("implementation/core.mjs", CORE),
        ("tests/a.test.mjs", test),
    ] {
        let path = top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    top
}

/// None: there is no node here.
fn run(mode: &str, top: &std::path::Path) -> Option<Said> {
    let words = command(Language::JavaScript).unwrap();
    let output = Command::new(words[0])
        .args(&words[1..])
        .args([
            mode,
            &top.display().to_string(),
            "mm_own",
            "mm_used",
            "!mm_beyond",
        ])
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: this test needs `node`, which is not installed");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", top.display());
    Some(read(&output.stdout).unwrap())
}

#[test]
fn s6_what_only_a_dependency_uses_is_named() {
    let own = "export { load } from \"#mm_used\";\nexport const late = async () => 1;\n";
    let text =
        format!("import {{ x }} from \"#mm_beyond\";\n{own}export {{ y }} from \"#mm_beyond\";\n");
    let Some(found) = surface("beyond", &text) else {
        return;
    };
    let places = found
        .undeclared
        .iter()
        .map(|one| (one.line, one.what.as_str()));
    assert_eq!(
        places.collect::<Vec<_>>(),
        [(1, "mm_beyond"), (4, "mm_beyond")]
    );
    assert!(
        found.forging.is_empty(),
        "it is refused for one thing: {found:?}"
    );
    // The honest twin.
    let found = surface("declared", own).unwrap();
    assert!(found.undeclared.is_empty(), "{found:?}");
}

fn surface(case: &str, text: &str) -> Option<Extracted> {
    match run("surface", &folder(case, text, ""))? {
        Said::Surface { surface, .. } => Some(surface),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn s5_6_what_the_root_exports_is_public_and_nothing_else() {
    let text = "import fs from \"node:fs\";\nexport { Malformed } from \"#mm_used\";\nexport { other as split } from \"./core.mjs\";\nexport class Bad extends Error { get more() { return 1; } }\nexport const CODES = Object.freeze({ Empty: 1, Long: 2 });\nexport const late = async (line) => fs.existsSync(line);\nfunction hidden() {}\n";
    let Some(found) = surface("public", text) else {
        return;
    };
    let names: Vec<&str> = found.items.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        ["split", "Malformed", "Bad", "Bad.more", "CODES", "late"]
    );
    assert_eq!(found.get("Bad").unwrap().kind, Kind::Exception);
    assert!(matches!(
        found.get("Malformed").unwrap().kind,
        Kind::Foreign { .. }
    ));
    assert!(
        matches!(&found.get("CODES").unwrap().kind, Kind::Choice { variants } if variants.len() == 2)
    );
    let calls: Vec<_> = found.functions().map(|(_, one)| one.call).collect();
    assert_eq!(calls, [languages::Call::Sync, languages::Call::Async]);
    assert_eq!(
        (found.unseen.len(), found.forging.len()),
        (0, 0),
        "{found:?}"
    );
    let Said::Broken { broken } =
        run("surface", &folder("broken", "export const = 1;", "")).unwrap()
    else {
        panic!("it is no JavaScript");
    };
    assert!(broken.starts_with("index.mjs:1: "), "{broken}");
}

#[test]
fn s11_3_code_reaches_for_nothing_that_decides_its_tests() {
    for (case, text) in [
        ("process", "export function f() { process.exitCode = 0; }"),
        ("global", "export function f() { return globalThis; }"),
        (
            "made",
            "export function f() { return new Function(\"1\"); }",
        ),
        (
            "climbs",
            "export function f() { return f.constructor(\"1\")(); }",
        ),
        (
            "prototype",
            "Array.prototype.at = () => 1;\nexport function f() {}",
        ),
        (
            "defines",
            "Object.defineProperty(JSON, \"parse\", {});\nexport function f() {}",
        ),
        (
            "assert",
            "import assert from \"node:assert\";\nassert.equal = () => 1;\nexport function f() {}",
        ),
        ("runner", "import \"node:test\";\nexport function f() {}"),
        ("package", "import \"left-pad\";\nexport function f() {}"),
        ("unused", "import \"#mm_other\";\nexport function f() {}"),
        ("computed", "export const f = (name) => import(name);"),
        (
            "outside",
            "import \"../tests/a.test.mjs\";\nexport function f() {}",
        ),
    ] {
        let Some(found) = surface(case, text) else {
            return;
        };
        assert!(!found.forging.is_empty(), "{case}: {text}");
    }
    let honest = "import { split } from \"#mm_used\";\nimport path from \"node:path\";\nimport { other } from \"./core.mjs\";\nconst table = {};\ntable.process = 1;\nexport class Bad extends Error { constructor(why) { super(why); this.name = this.constructor.name; } }\nexport const f = (line) => ({ a: split(line), b: other(path.sep), c: JSON.parse(line), d: table.process });\n";
    let found = surface("honest", honest).unwrap();
    assert_eq!(
        (found.unseen.len(), found.forging.len()),
        (0, 0),
        "{found:?}"
    );
}

#[test]
fn s5_4_stubs_take_the_functions_out_and_tests_keep_to_what_is_public() {
    let text = "export const f = (line) => ({ a: line });\nexport async function g(line) { return line; }\nexport { other } from \"./core.mjs\";\n";
    let test = "import { f, hidden } from \"#mm_own\";\nimport { other } from \"../implementation/core.mjs\";\nimport \"./helper.mjs\";\nf.toString();\n";
    let top = folder("stubs", text, test);
    let Some(said) = run("tests", &top) else {
        return;
    };
    let Said::Tests { reaches } = said else {
        panic!("{said:?}");
    };
    let lines: Vec<u32> = reaches.iter().map(|one| one.line).collect();
    assert_eq!(lines, [1, 2, 2, 4], "{reaches:?}");
    let Some(Said::Stubbed { stubs: 3 }) = run("stub", &top) else {
        panic!("three functions are public");
    };
    let calls = "import { f, g, other } from \"./index.mjs\";\nfor (const one of [f, g, other]) { try { await one(1); console.log(\"ran\"); } catch (error) { console.log(error.message); } }\n";
    let place = top.join("implementation/calls.mjs");
    std::fs::write(&place, calls).unwrap();
    let output = Command::new("node").arg(&place).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(out, "this is a stub\n".repeat(3), "{output:?}");
    std::fs::remove_file(place).unwrap();
}
