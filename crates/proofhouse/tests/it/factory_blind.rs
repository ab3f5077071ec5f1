//! Tests that call a module and look at nothing, and code that nobody can read: through the real
//! binary, with real toolchains. Nobody in a debate sees the tests, so the ship has to.

use crate::factory_run::{EXAMPLES, MOMENT, MOMENT_TESTS};
use crate::factory_ship::{
    PYTHON, PYTHON_CORE, PYTHON_TESTS, files, gates, moment_plan, one_task, refused, rounds, rust,
};
use serde_json::{Value, json};

#[test]
fn s5_4_tests_that_call_the_module_and_look_at_nothing_are_refused() {
    let hollow = MOMENT_TESTS
        .replace(
            "assert_eq!(split(\"1 a\"), Ok((\"1\".into(), \"a\".into())));",
            "let _ = split(\"1 a\");",
        )
        .replace(
            "assert_eq!(split(\"alone\"), Err(Malformed));",
            "if let Err(found) = split(\"alone\") { assert_eq!(found, Malformed); }",
        );
    let either = MOMENT_TESTS
        .replace(
            "assert_eq!(split(\"\"), Err(Malformed));",
            "let found = split(\"\"); assert!(found.is_ok() || found.is_err());",
        )
        .replace(
            "assert_eq!(split(\"9 z\").unwrap().0, \"9\");",
            "if let Ok(parts) = split(\"9 z\") { assert_eq!(parts.0, \"9\"); }",
        );
    let world = one_task(rounds(
        &moment_plan(),
        &[
            rust(MOMENT, &hollow),
            rust(MOMENT, &either),
            rust(MOMENT, MOMENT_TESTS),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[
            (
                "tests_fail_on_stubs",
                &[
                    "do not look at what the module answers",
                    "lines::error__malformed (the module always succeeds with an empty value)",
                    "lines::happy_path (the module always refuses with its first error)",
                ],
            ),
            (
                "tests_fail_on_stubs",
                &[
                    "lines::input__line__1 (the module always succeeds with an empty value, or always refuses",
                    "lines::output__parts__1 (the module always refuses with its first error)",
                ],
            ),
        ],
    );
    let gates = gates(&world);
    let last = gates
        .iter()
        .rfind(|(check, ..)| check == "tests_fail_on_stubs");
    let (_, _, reason) = last.unwrap();
    assert_eq!(
        reason,
        "4 tests fail without the implementation, and notice constant answers"
    );
}

#[test]
fn s5_4_what_has_no_constant_ships_and_it_is_said() {
    // The value has a type of its own whose inside is not for us to make up.
    let opaque = "#[derive(Debug, PartialEq)]\npub struct Malformed;\npub fn split(line: &str) -> Result<(String, String), Malformed> {\n    cut(line)\n}\n#[cfg(any())] fn never() {}\nfn cut(line: &str) -> Result<(String, String), Malformed> {\n    let (moment, text) = line.split_once(' ').ok_or(Malformed)?;\n    Ok((moment.to_owned(), text.to_owned()))\n}\nmod other { #[allow(dead_code)] struct Malformed(std::sync::mpsc::Sender<u8>); }\n";
    let world = one_task(rounds(&moment_plan(), &[rust(opaque, MOMENT_TESTS)]));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(&world, &[]);
    let gates = gates(&world);
    let said = |(check, _, reason): &(String, String, String)| {
        check == "tests_fail_on_stubs" && reason.contains("no constant answer can be written")
    };
    assert!(gates.iter().any(said), "{gates:#?}");
}

fn python(init: &str, more: &[(&str, &str)], tests: &str) -> Value {
    let mut all = vec![
        ("implementation/__init__.py", init),
        ("implementation/_core.py", PYTHON_CORE),
        ("tests/test_lines.py", tests),
        ("examples.md", EXAMPLES),
    ];
    all.extend(more);
    files("MM-moment", "1.0.0", &all)
}

#[test]
fn s5_6_code_behind_an_encoding_or_in_a_binary_does_not_ship_in_python() {
    let mut plan = moment_plan();
    let io = &mut plan["modules"][0]["io_contract"];
    io["inputs"] = json!(["line: str; not empty"]);
    io["outputs"] = json!(["parts: tuple[str, str]; the moment comes first"]);
    io["error_surfaces"] = json!(["Malformed: the line has no blank; exception"]);
    let hidden = format!("# coding: utf-7\n# +AAo-import os+ADs- os.system('true')\n{PYTHON}");
    let left = [("implementation/__pycache__/_core.cpython-312.pyc", "left")];
    let world = one_task(rounds(
        &plan,
        &[
            python(&hidden, &[("implementation/_fast.pyc", "x")], PYTHON_TESTS),
            // The compiled file is still there: the next attempt deletes nothing.
            python(PYTHON, &left, PYTHON_TESTS),
        ],
    ));
    world.run(&["factory", "run", "p"]);
    let gates = gates(&world);
    let of = |check: &str| -> Vec<&str> {
        let all = gates
            .iter()
            .filter(|(name, verdict, _)| name == check && verdict != "pass");
        all.map(|(_, _, reason)| reason.as_str()).collect()
    };
    let surface = of("public_surface");
    assert!(
        surface[0].contains("says that it is in utf-7; write it in UTF-8"),
        "{surface:?}"
    );
    assert!(
        surface[1].contains("implementation/_fast.pyc:1: `compiled code` could"),
        "{surface:?}"
    );
    let folder = world.at(".proofhouse/state_store/modules/MM-moment/1.0.0/implementation");
    assert!(folder.join("_fast.pyc").is_file());
    assert!(!folder.join("__pycache__").exists());
}

#[test]
fn s5_4_hollow_tests_do_not_ship_in_python_either() {
    let mut plan = moment_plan();
    let io = &mut plan["modules"][0]["io_contract"];
    io["inputs"] = json!(["line: str; not empty"]);
    io["outputs"] = json!(["parts: tuple[str, str]; the moment comes first"]);
    io["error_surfaces"] = json!(["Malformed: the line has no blank; exception"]);
    let hollow = PYTHON_TESTS
        .replace(
            "        with self.assertRaises(Malformed):\n            split(\"alone\")\n",
            "        try:\n            split(\"alone\")\n        except Malformed:\n            pass\n",
        )
        .replace(
            "    assert split(\"1 a\") == (\"1\", \"a\")\n",
            "    split(\"1 a\")\n",
        );
    let left = [("implementation/__pycache__/_core.cpython-312.pyc", "left")];
    let world = one_task(rounds(
        &plan,
        &[
            python(PYTHON, &left, &hollow),
            python(PYTHON, &left, PYTHON_TESTS),
        ],
    ));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[(
            "tests_fail_on_stubs",
            &[
                "test_error__malformed (the module always returns None)",
                "test_happy_path (the module always returns None, or always returns a new object())",
            ],
        )],
    );
    // What running left behind is no part of the module.
    let folder = world.at(".proofhouse/state_store/modules/MM-moment/1.0.0/implementation");
    assert!(!folder.join("__pycache__").exists());
}

#[test]
fn s14_1_a_contract_says_of_the_module_what_was_locked_and_so_does_the_index() {
    let contract = "state_store/modules/MM-moment/1.0.0/contract.json";
    let mut lies = rust(MOMENT, MOMENT_TESTS);
    let script = format!(
        "python3 -c \"import json; p='{contract}'; c=json.load(open(p)); c['purpose']='Parses every format there is'; c['tags']=['json','yaml','dates']; json.dump(c, open(p,'w'))\""
    );
    lies.as_array_mut().unwrap().push(json!({"run": &script}));
    let mut true_again = rust(MOMENT, MOMENT_TESTS);
    let script = script.replace(
        "Parses every format there is",
        "Splits a line into its moment and its text",
    );
    true_again
        .as_array_mut()
        .unwrap()
        .push(json!({"run": script}));
    let world = one_task(rounds(&moment_plan(), &[lies, true_again]));
    world.run(&["factory", "run", "p"]).exits(0);
    refused(
        &world,
        &[(
            "interface_fingerprint",
            &[
                "is for \"Parses every format there is\"",
                "for \"Splits a line into its moment and its text\"",
            ],
        )],
    );
    let found = world.run(&["index", "search", "every format", "--json"]);
    assert!(found.out.contains("Splits a line"), "{}", found.out);
    assert!(!found.out.contains("Parses every"), "{}", found.out);
    // Words to find it by are the Proposer's, and nobody else has any.
    assert!(found.out.contains("yaml"), "{}", found.out);
}
