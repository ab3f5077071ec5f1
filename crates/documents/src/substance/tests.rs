//! What says nothing, and its honest twins: short texts, code, other scripts, and all that our own
//! documents say.

use super::*;
use crate::markdown;

#[track_caller]
fn says(said: &str, name: &str) {
    assert_eq!(nothing(said, name), None, "{name:?}: {said:?}");
}

#[test]
fn letters_one_word_and_the_name_again_say_nothing() {
    for letters in [
        "x", "X.", "- x\n- x", "zzz", "x x x", "**x**", "x/x", "x: y", "х", "TBD\nx",
    ] {
        assert_eq!(
            nothing(letters, "Problem"),
            Some(Nothing::Letters),
            "{letters:?}"
        );
    }
    let again = Nothing::OneWord("fine".to_owned());
    assert_eq!(nothing("Fine, fine, FINE.", "Risks"), Some(again));
    for (said, name) in [
        ("Problem", "Problem"),
        ("problem: problem.", "The problem"),
        ("Smallest version", "Smallest Useful Version"),
    ] {
        let why = nothing(said, name);
        assert!(
            matches!(why, Some(Nothing::Name | Nothing::OneWord(_))),
            "{said}: {why:?}"
        );
    }
    assert_eq!(nothing(" ", "A"), Some(Nothing::Empty));
    assert_eq!(nothing("<what goes here>", "A"), Some(Nothing::Placeholder));
}

#[test]
fn honest_short_texts_say_something() {
    for said in [
        "none",
        "n/a",
        "No.",
        "none, because nothing leaves the machine",
        "0",
        "3",
        "$0",
        "C++",
        "shed",
        "Rust",
        "ok",
        "cargo test",
        "make",
        "./x.sh",
        "src/a.rs",
        "AC-1",
        "x = 1",
        "https://example.org/x",
        "x86",
        "是",
        "无状态",
        "見た",
        "データは保存しない。",
        "هنا",
        "क्षमा",
        "ไม่มี",
        "Ей",
        "なし",
    ] {
        says(said, "Stack");
    }
    // The name stands in a path, and in a sentence.
    says("tests/", "Tests");
    says("The problem is that nobody is greeted.", "Problem");
    says("TBD\nbut this is known", "Risks");
}

#[test]
fn the_form_is_no_answer() {
    let form = "<!-- What the candidate is, and how it can be checked. -->";
    let copied = "What the candidate is, and how it can be checked.";
    assert!(of_form(copied, form).is_some());
    for honest in [
        "The candidate is ready.",
        "the parser",
        "how it can be run: cargo run",
    ] {
        assert!(of_form(honest, form).is_none(), "{honest}");
    }
}

#[test]
fn what_fills_a_page_in_no_language_says_nothing() {
    for filler in [
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "Lorem ipsum",
        "- Duis aute irure dolor in reprehenderit\n- Excepteur sint occaecat cupidatat non proident",
        "asdf",
        "asdf jkl qwerty",
        "lkjh; asdfg",
    ] {
        assert_eq!(
            nothing(filler, "Problem"),
            Some(Nothing::Filler),
            "{filler}"
        );
    }
    for honest in [
        "The page shows lorem ipsum where the customer's name belongs.",
        "Der Wert ist falsch.",
        "Wert",
        "power",
        "sed, ex and id stay as they are",
        "Non est ad rem: nulla causa.",
        "Press asdf to move the ship.",
        "dad asks",
    ] {
        says(honest, "Problem");
    }
}

#[test]
fn a_reference_is_no_word_beside_it() {
    for letters in [
        "x `artifacts/seen.txt`",
        "- x (F-0003)",
        "src/lib.rs:12 x x",
        "AC-1: x",
    ] {
        assert_eq!(
            nothing(letters, "Steps"),
            Some(Nothing::Letters),
            "{letters}"
        );
    }
    assert_eq!(
        nothing("Lorem ipsum, see src/a.rs", "Steps"),
        Some(Nothing::Filler)
    );
    for honest in [
        "`artifacts/seen.txt`",
        "F-0003",
        "src/lib.rs:12",
        "x = 1 in src/lib.rs",
        "src/lib.rs: it greets",
        "v1.2",
    ] {
        says(honest, "Steps");
    }
}

#[test]
fn the_brief_is_no_answer() {
    let brief = "- `## Truths`: a list of what is certain. Nothing that is still to be clarified stands here.\n\
        - `## Observability`: shed, structured lines on standard output; house, traces, logs.";
    for copied in [
        "A list of what is certain.",
        "- Nothing that is still to be clarified stands here.\n- a list of what is certain",
        "shed, structured lines on standard output; house, traces, logs",
    ] {
        assert!(is_taught(copied, brief), "{copied}");
    }
    for honest in [
        "Structured lines on standard output.",
        "Traces, logs",
        "A list of what is certain: the names come from a file of the customer's.",
        "It is certain that nothing is kept.",
        "none",
    ] {
        assert!(!is_taught(honest, brief), "{honest}");
    }
}

#[test]
fn one_text_in_many_places_says_nothing_of_any() {
    let all = |texts: &[&'static str]| {
        let names = ["A", "B", "C", "D"];
        alike(names.into_iter().zip(texts.iter().copied()))
    };
    assert_eq!(
        all(&["fine", "Fine.", "fine", "it is slow"]),
        ["`A` and `B` and `C` say the same, `fine`; write what is so for each"]
    );
    assert_eq!(
        all(&["It works as it should.", "it works as it should"]).len(),
        1
    );
    for honest in [
        [
            "The same.",
            "the same",
            "Both are built.",
            "Rust; no target.",
        ],
        ["none", "none", "none", "none: it is local"],
        [
            "cargo test --workspace all of it",
            "cargo test --workspace all of it",
            "3",
            "4",
        ],
    ] {
        assert!(all(&honest).is_empty(), "{honest:?}");
    }
}

#[test]
fn none_alone_is_told_from_none_with_a_reason() {
    for bare in ["none", "None.", "n/a", "- no"] {
        assert_eq!(none_alone(bare), Some(Nothing::None), "{bare}");
    }
    for said in [
        "none, because it is local",
        "no network",
        "nothing: see scope.md",
        "shed",
    ] {
        assert_eq!(none_alone(said), None, "{said}");
    }
}

/// Every section, list item and cell of our own documents says something; the same with its words
/// taken away does not.
#[test]
fn what_our_documents_say_is_something_and_what_is_left_without_words_is_not() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap().flatten() {
        let Ok(text) = std::fs::read_to_string(file.path()) else {
            continue;
        };
        let mut said: Vec<(String, String)> = Vec::new();
        for section in markdown::all(&text).into_iter().skip(1) {
            let items = section.points.iter().cloned();
            let cells = section.rows.iter().flat_map(|row| row.cells.clone());
            let short = items.chain(cells).map(|one| (String::new(), one));
            said.extend(short.filter(|(_, one)| one.chars().count() > 1));
            if !is_placeholder(&section.content) {
                said.push((section.title, section.content));
            }
        }
        for (name, one) in said.iter().filter(|(_, one)| !is_placeholder(one)) {
            assert_eq!(
                nothing(one, name),
                None,
                "{}: {name}: {one}",
                file.path().display()
            );
            let letters: Vec<&str> = one.split_whitespace().map(|_| "x").collect();
            let (letters, again) = (letters.join(" "), format!("{name} {name}"));
            assert_eq!(nothing(&letters, name), Some(Nothing::Letters));
            assert!(
                name.is_empty()
                    || says_none(name)
                    || is_named(name)
                    || nothing(&again, name).is_some()
            );
            seen += 1;
        }
        // What stands in a section and in one around it is written once.
        let sections: Vec<markdown::Section> = markdown::all(&text).into_iter().skip(1).collect();
        let same = |one: &&markdown::Section| {
            let others = sections.iter().filter(|other| other.content == one.content);
            others.count() > 1 && stands_in(&text, &one.content) > 1
        };
        let texts = sections.iter().filter(same);
        let texts = texts.map(|one| (one.title.as_str(), one.content.as_str()));
        assert_eq!(
            alike(texts),
            Vec::<String>::new(),
            "{}",
            file.path().display()
        );
    }
    assert!(seen > 2_000, "only {seen} texts");
}

/// A heading that is itself a name or a number means itself.
fn is_named(name: &str) -> bool {
    name.split_whitespace().any(is_exact)
}

#[test]
fn a_place_a_name_or_a_number_alone_says_too_little() {
    for short in [
        "src/lib.rs",
        "src/lib.rs:12",
        "`greet`",
        "42",
        "F-0003",
        "ok then",
        "src/lib.rs fine",
        "src/lib.rs and src/main.rs",
        "3 (F-0001)",
    ] {
        assert_eq!(little(short), Some(Nothing::Little), "{short}");
    }
    for honest in [
        "src/greet.txt greets nobody",
        "the limit is 42",
        "There is a plan.",
        "readme.md names ms.version()",
        "test it (F-0002)",
        "greet() is the only entry point",
        "挨拶は一行だけ",
    ] {
        assert_eq!(little(honest), None, "{honest}");
    }
}

#[test]
fn to_do_something_to_a_place_is_a_step() {
    for step in [
        "Add tests/test_cart.py (F-0001).",
        "Rename `greet` (F-0002)",
    ] {
        assert_eq!(little(step), Some(Nothing::Little), "{step}");
        assert_eq!(little_to_do(step), None, "{step}");
    }
    for none in [
        "tests/test_cart.py (F-0001)",
        "src/lib.rs fine",
        "x src/lib.rs",
        "Add F-0001",
        "Add 3",
    ] {
        assert_eq!(little_to_do(none), Some(Nothing::Little), "{none}");
    }
}

#[test]
fn one_sentence_with_a_word_of_its_own_is_one_sentence() {
    let near = |texts: &[&'static str]| {
        let names = ["A", "B", "C", "D"];
        nearly_alike(names.into_iter().zip(texts.iter().copied())).is_some()
    };
    assert!(near(&[
        "src/a.rs:1 was read and is correct",
        "src/b.rs:2 was read and is secure",
        "was read and is quick: src/c.rs",
    ]));
    assert!(near(&[
        "ok then src/a.rs",
        "ok then src/b.rs",
        "ok then src/c.rs"
    ]));
    for honest in [
        // Two may well find the same.
        [
            "src/a.rs was read twice",
            "src/b.rs was read twice",
            "no loop in src/c.rs",
        ],
        [
            "task/scope.md: both criteria",
            "task/scope.md names none",
            "preferences.md and task/scope.md: Rust",
        ],
    ] {
        assert!(!near(&honest), "{honest:?}");
    }
}
