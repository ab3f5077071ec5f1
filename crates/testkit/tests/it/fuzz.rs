//! Everything that reads what others wrote, fed with what nobody would write: journals, documents, workflows,
//! results, specs, contracts, reports of test runners, sources, manifests, signatures. A reader may refuse; it
//! neither panics nor takes one thing for another.

use approval::passkey::{self, Assertion};
use approval::{Words, key_for_the_occasion, sign_with_key_file, verify};
use documents::{choice, markdown, substance, table};
use kernel::Time;
use languages::manifests::Manifest;
use languages::mutants::{Wanted, mutants};
use languages::runners::RUNNERS;
use languages::script::Source as Written;
use languages::{hollow_commands, public_names, recipes, rust, test_texts};
use std::collections::BTreeMap;
use store::{Entry, Head, Journal, Replay, RunName, encode};
use testkit::fuzz::Fuzz;

fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// What is not as it was written is refused, or was cut off behind a record that was.
#[test]
fn a_journal_gives_back_what_was_written_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunName::new("r").unwrap();
    let entries: Vec<Entry> = (0..6)
        .map(|number| Entry {
            at: Time(1_000 + number),
            kind: "moved.v1".to_owned(),
            body: serde_json::json!({"number": number, "text": "é \u{202e} {}"}),
        })
        .collect();
    let (whole, _) = encode(&Head::start(), &entries).unwrap();
    let hashes = |bytes: &[u8]| {
        std::fs::write(folder.path().join("r.jsonl"), bytes).unwrap();
        let mut hashes = Vec::new();
        let read = Journal::read(folder.path(), &run, Replay::default(), |record| {
            hashes.push(record.hash.to_owned());
            Ok(())
        });
        (hashes, read.is_ok())
    };
    let (written, fine) = hashes(&whole);
    assert!(fine && written.len() == 6);
    Fuzz {
        name: "journal",
        samples: &[&whole],
        usual: 2_000,
    }
    .run(&|input| {
        let (read, _) = hashes(input);
        assert!(written.starts_with(&read), "{read:?}");
    });
}

const STATE: &str = "# State\n\nPhase: verify\nStatus: working\n- Objective: a\n  thing\n**Done gate:** x\n```\nPhase: in a fence\n```\n| a | b |\n|---|---|\n| `c` | d |\n<!-- Phase: no -->\n## Evidence\n- AC-1: [here](a/b.md#c) `src/a.rs:12` and __init__.py\n";

#[test]
fn documents_are_read_however_they_are_written() {
    Fuzz {
        name: "documents",
        samples: &[
            STATE.as_bytes(),
            include_bytes!("../../../../docs/phase.md"),
        ],
        usual: 400,
    }
    .run(&|input| {
        let said = text(input);
        let names = ["Phase", "Status", "Objective"];
        if let Ok(fields) = flow::parse_fields(&said, &names) {
            let pairs: Vec<(String, String)> = fields.into_iter().collect();
            let again = flow::replace_fields(&said, &pairs);
            let _ = flow::parse_fields(&again, &names);
        }
        let _ = markdown::all(&said);
        let _ = markdown::source(&said, "Evidence");
        let _ = markdown::code_under(&said, "State");
        let _ = markdown::labelled(&said, "Done gate");
        let _ = table::records("a.md", &said, None, &["a", "b"]);
        let _ = table::records("a.json", &said, None, &["a"]);
        let _ = choice::decisive(&said, Some("State"), None);
        let _ = substance::hollow(STATE, &said, "State");
        let _ = substance::little(&said);
    });
}

#[test]
fn a_workflow_is_loaded_or_refused() {
    let sources: Vec<String> = ["quick", "phase"]
        .iter()
        .map(|name| flow::built_in(name).unwrap().files["workflow.toml"].clone())
        .collect();
    let samples: Vec<&[u8]> = sources.iter().map(|one| one.as_bytes()).collect();
    let files = flow::built_in("quick").unwrap().files;
    Fuzz {
        name: "workflow",
        samples: &samples,
        usual: 150,
    }
    .run(&|input| {
        let mut files = files.clone();
        files.insert("workflow.toml".to_owned(), text(input));
        let source = flow::Source {
            name: "t".to_owned(),
            files,
        };
        if let Err(error) = flow::load(&source, &|_, _| Ok(())) {
            assert!(!error.to_string().trim().is_empty());
        }
    });
}

#[test]
fn specs_contracts_and_plans_are_read_or_refused() {
    let spec = include_bytes!("../../../proofhouse/demo/factory/spec.json");
    let surface = br#"{"inputs": [{"name": "a", "type": "int", "required": true}], "outputs": [], "errors": [], "effects": [], "modes": []}"#;
    Fuzz {
        name: "factory",
        samples: &[spec, surface],
        usual: 400,
    }
    .run(&|input| {
        let _ = factory::spec::read(input);
        let _ = factory::spec::read_new(input, factory::engineering::context::BRIEFS);
        let _ = factory::schema::parse_surface(input);
        if let Ok(value) = serde_json::from_slice(input) {
            let _ = factory::micro_plan::judge(&value);
        }
    });
}

#[test]
fn results_are_taken_or_refused_with_what_is_wrong() {
    let shape = agents::result::Shape::default();
    Fuzz {
        name: "results",
        samples: &[
            br#"{"summary": "did it", "verdict": "pass", "findings": [{"id": "F1", "kind": "scope", "severity": "blocking", "what": "x"}], "usage": {"input_tokens": 3, "micro_dollars": 5}}"#,
            br#"{"summary": "did it", "next": "verify", "answers": {"Q1": {"answer": "yes", "evidence": "a.rs:1"}}}"#,
        ],
        usual: 1_000,
    }
    .run(&|input| {
        if let Err(faults) = agents::result::judge_bytes(input, &shape).result {
            assert!(!faults.to_string().is_empty());
        }
    });
}

const REPORTS: [&str; 5] = [
    "<?xml version=\"1.0\"?><testsuites><testsuite name=\"s\"><testcase classname=\"a.b\" name=\"c[1]\" time=\"0.1\"/><testcase classname=\"a\" name=\"d\"><failure message=\"x\">E assert <![CDATA[1]]></failure></testcase></testsuite></testsuites>",
    "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nthread 'b' panicked at src/lib.rs:1:1:\nno\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
    "{\"numTotalTests\": 1, \"testResults\": [{\"name\": \"/r/a.test.js\", \"status\": \"failed\", \"assertionResults\": [{\"fullName\": \"a b\", \"status\": \"failed\", \"failureMessages\": [\"no\"]}]}]}",
    "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestA\"}\n{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestA\",\"Elapsed\":0.1}\n{\"Action\":\"fail\",\"Package\":\"p\"}\n",
    "TAP version 13\n# Subtest: a\nok 1 - a\nnot ok 2 - b # SKIP\n1..2\n",
];

#[test]
fn reports_of_test_runners_are_read_or_called_unreadable() {
    let samples: Vec<&[u8]> = REPORTS.iter().map(|one| one.as_bytes()).collect();
    Fuzz {
        name: "reports",
        samples: &samples,
        usual: 600,
    }
    .run(&|input| {
        let said = text(input);
        for known in RUNNERS {
            let run = known.runner.read(&said);
            let _ = run.summary();
            let _ = run.ending(Some(0));
        }
        let _ = languages::runners::coverage(&said);
    });
}

const SOURCE: &str = "use std::fmt;\n/// A.\npub struct A<T>(T);\nimpl<T: fmt::Debug> A<T> {\n    pub fn b(&self, c: i64) -> Result<i64, String> {\n        if c > 1 && c != 3 { return Err(format!(\"{c}\")); }\n        Ok(c * 2 - 1)\n    }\n}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert_eq!(super::A(1).b(1), Ok(1)); }\n}\n";

/// On a stack as threads of the engine have it.
#[test]
fn sources_and_manifests_are_read_or_left_alone() {
    Fuzz {
        name: "sources",
        samples: &[
            SOURCE.as_bytes(),
            b"def a(b):\n    \"\"\"c\"\"\"\n    assert b == [1, 2], f'{b}'\n    return b\n",
            b"export const a = (b) => { if (b > 1) { return `x${b}`; } return /re/g; };\n",
            b"test: build\n\t@pytest -q $(ARGS)\nbuild:\n\tmake -C x\n",
            b"[package]\nname = \"a\"\n[dependencies]\nserde = { version = \"1\" }\n",
            b"{\"scripts\": {\"test\": \"node --test && echo $X\"}, \"dependencies\": {\"a\": \"1\"}}",
        ],
        usual: 300,
    }
    .run(&|input| {
        let said = text(input);
        for path in ["a.rs", "a.py", "a.mjs", "Makefile", "justfile"] {
            let _ = public_names::of(path, &said);
            let _ = recipes::of_tests(path, &said);
            let _ = test_texts::weakens(path, SOURCE, &said);
            let _ = test_texts::holds(path, SOURCE, &said);
            let _ = languages::same_but_for_layout(path, SOURCE, &said);
        }
        for path in ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "Pipfile"] {
            let _ = Manifest::read(path, &said);
            let _ = languages::manifests::settings::of_tests(path, &said);
            let _ = languages::manifests::settings::acting(path, &said);
        }
        let _ = hollow_commands::proves_nothing(&said, "");
        let _ = rust::inline_tests::test_functions(&said);
        let files = BTreeMap::from([("lib.rs".to_owned(), said.clone())]);
        let _ = rust::extract(&files, &BTreeMap::new());
        let source = Written {
            path: "src/lib.rs",
            now: &said,
            before: Some(SOURCE),
        };
        let _ = mutants(&Wanted {
            seed: "1",
            sources: &[source],
            tests: &[SOURCE],
            again: &[],
            constants: 4,
            each: 0,
            others: 4,
        });
    });
}

/// No other text of a signature is one, and no other list of approvers lets it through.
#[test]
fn a_signature_holds_as_it_was_made_and_in_no_other_form() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let approvers = key_for_the_occasion(&key, "ada").unwrap();
    let words = Words {
        run: "r",
        seq: 3,
        head: "ab",
        tree: "",
        option: "approve",
        because: "read it",
    };
    let pem = sign_with_key_file(&key, &words).unwrap();
    let bare = |pem: &str| {
        let lines = pem.lines().filter(|line| !line.starts_with("-----"));
        lines
            .flat_map(str::chars)
            .filter(|one| !one.is_whitespace())
            .collect::<String>()
    };
    Fuzz {
        name: "signature",
        samples: &[pem.as_bytes()],
        usual: 600,
    }
    .run(&|input| {
        let other = text(input);
        if verify(&approvers, &other, &words, Time(1)).is_ok() {
            assert_eq!(bare(&other), bare(&pem), "{other}");
        }
    });
    let (public, _) = approvers
        .trim()
        .rsplit_once(' ')
        .unwrap_or((&approvers, ""));
    Fuzz {
        name: "approvers",
        samples: &[approvers.as_bytes()],
        usual: 600,
    }
    .run(&|input| {
        let other = text(input);
        if verify(&other, &pem, &words, Time(1)).is_ok() {
            let key = public.split(' ').find(|part| part.starts_with("AAAA"));
            assert!(key.is_none_or(|key| other.contains(key)), "{other}");
        }
    });
}

#[test]
fn what_a_browser_says_of_a_passkey_is_taken_apart_with_care() {
    let origin = "http://localhost:7766";
    let point: Vec<u8> = std::iter::once(4).chain([7; 64]).collect();
    let approvers = passkey::line("ada", &point, origin).unwrap_or_default();
    let client = br#"{"type":"webauthn.get","challenge":"AAAA","origin":"http://localhost:7766","crossOrigin":false}"#;
    let data: Vec<u8> = [&[9; 32][..], &[5, 0, 0, 0, 1]].concat();
    let signature = [0x30, 6, 2, 1, 1, 2, 1, 1];
    let parts = |input: &[u8]| {
        let mut parts = input.splitn(3, |byte| *byte == b'|').map(<[u8]>::to_vec);
        let mut next = || parts.next().unwrap_or_default();
        Assertion {
            client_data: next(),
            signature: next(),
            authenticator_data: next(),
        }
    };
    let sample = [&client[..], &signature, &data].join(&b'|');
    Fuzz {
        name: "passkey",
        samples: &[&sample],
        usual: 1_000,
    }
    .run(&|input| {
        if let Ok(pem) = passkey::armored(&approvers, &parts(input), origin) {
            let words = Words {
                run: "r",
                seq: 3,
                head: "ab",
                tree: "",
                option: "approve",
                because: "read it",
            };
            assert!(verify(&approvers, &pem, &words, Time(1)).is_err());
        }
    });
}
