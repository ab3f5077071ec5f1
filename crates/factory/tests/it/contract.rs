//! Rules F5.4, F5.5, F7, F11.1, F11.2 and F12.4: contracts, fingerprints, bumps, coverage, examples.

use factory::contract::{
    Effect, EffectKind, ErrorSurface, Input, MicroModuleContract, Modes, Output, Surface,
    SurfaceKind, canonical, compare, coverage, examples, judge_bump, required_bump,
};
use kernel::module::{Bump, Version};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn contract() -> Value {
    json!({
        "module_id": "MM-0001",
        "module_version": "1.0.0",
        "name": "slugify",
        "purpose": "Turns a title into a slug",
        "tags": ["text"],
        "inputs": [{"name": "title", "type": "string", "constraints": ["non-empty", "at most 1000 characters"]}],
        "outputs": [{"name": "slug", "type": "string", "invariants": ["only a-z, 0-9 and -"]}],
        "error_surfaces": [{"name": "EmptyTitle", "when": "the title is blank", "surface": "variant"}],
        "effects": [],
        "modes": {"sync": true, "async": false, "notes": ""},
        "error_cases": ["a title of blanks"],
        "dependencies": [{"ref": "MM-0002@^1.0.0", "why": "to fold letters"}],
        "compatibility": {"backward_compatible_with": [], "breaking_change_policy": "a new major version"},
        "runtime_budgets": {"latency_ms_p95": 1.5}
    })
}

pub(crate) fn typed(value: &Value) -> MicroModuleContract {
    serde_json::from_value(value.clone()).unwrap()
}

fn codes(value: &Value) -> Vec<String> {
    crate::documents::judged("MicroModuleContract", value)
}

#[test]
fn s11_1_a_whole_contract_is_valid() {
    assert_eq!(codes(&contract()), Vec::<String>::new());
    let back = serde_json::to_value(typed(&contract())).unwrap();
    assert_eq!(back, contract());
}

#[test]
fn s5_5_no_dimension_may_be_left_out() {
    for dimension in ["inputs", "outputs", "error_surfaces", "effects", "modes"] {
        let mut bad = contract();
        bad.as_object_mut().unwrap().remove(dimension);
        assert_eq!(codes(&bad), [format!("wrong_shape $.{dimension}")]);
        assert!(serde_json::from_value::<Surface>(bad).is_err());
    }
    let mut bad = contract();
    bad["efects"] = json!([]);
    assert_eq!(codes(&bad), ["wrong_shape $.efects"]);
}

#[test]
fn s11_1_what_is_wrong_is_named() {
    let mut bad = contract();
    bad["module_id"] = json!("M-1");
    bad["purpose"] = json!("TBD");
    bad["inputs"] = json!([]);
    bad["outputs"][0]["invariants"] = json!(["N/A"]);
    bad["error_surfaces"] = json!([
        {"name": "A", "when": "x", "surface": "code"},
        {"name": "A", "when": "", "surface": "exception"}
    ]);
    bad["modes"]["sync"] = json!(false);
    bad["dependencies"][0]["ref"] = json!("MM-0002");
    bad["runtime_budgets"]["memory_mb_max"] = json!(-1);
    assert_eq!(
        codes(&bad),
        [
            "bad_id $.module_id",
            "placeholder $.purpose",
            "empty_dimension $.inputs",
            "placeholder $.outputs[0].invariants[0]",
            "empty_field $.error_surfaces[1].when",
            "bad_reference $.dependencies[0].ref",
            "bad_number $.runtime_budgets.memory_mb_max",
            "no_mode $.modes",
            "duplicate_name $.error_surfaces[1].name",
        ]
    );
}

#[test]
fn s11_1_the_fingerprint_is_the_hash_of_the_five_dimensions() {
    // python3: hashlib.sha256(rfc8785.dumps({k: c[k] for k in dimensions})).hexdigest()
    let text = r#"{"effects":[],"error_surfaces":[{"name":"EmptyTitle","surface":"variant","when":"the title is blank"}],"inputs":[{"constraints":["non-empty","at most 1000 characters"],"name":"title","type":"string"}],"modes":{"async":false,"notes":"","sync":true},"outputs":[{"invariants":["only a-z, 0-9 and -"],"name":"slug","type":"string"}]}"#;
    let contract = typed(&contract());
    assert_eq!(
        String::from_utf8(canonical(contract.surface())).unwrap(),
        text
    );
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(contract.fingerprint().as_str(), hex);
}

#[test]
fn s11_1_metadata_does_not_change_the_fingerprint() {
    let before = typed(&contract()).fingerprint();
    for (field, value) in [
        ("module_id", json!("MM-9")),
        ("module_version", json!("2.0.0")),
        ("name", json!("other")),
        ("purpose", json!("other")),
        ("tags", json!(["x", "y"])),
        ("error_cases", json!([])),
        ("dependencies", json!([])),
        ("compatibility", json!({})),
        ("runtime_budgets", json!({})),
    ] {
        let mut changed = contract();
        changed[field] = value;
        assert_eq!(typed(&changed).fingerprint(), before, "{field}");
    }
    for (pointer, value) in [
        ("/inputs/0/name", json!("t")),
        ("/outputs/0/invariants", json!([])),
        ("/error_surfaces/0/surface", json!("code")),
        (
            "/effects",
            json!([{"type": "WRITE", "target": "disk", "description": "writes"}]),
        ),
        ("/modes/notes", json!("x")),
    ] {
        let mut changed = contract();
        *changed.pointer_mut(pointer).unwrap() = value;
        assert_ne!(typed(&changed).fingerprint(), before, "{pointer}");
    }
}

#[test]
fn s11_2_a_mismatch_says_which_dimensions_differ() {
    let locked = typed(&contract());
    assert!(compare(locked.surface(), locked.surface()).is_ok());
    let mut other = contract();
    other["inputs"][0]["type"] = json!("bytes");
    other["modes"]["async"] = json!(true);
    let other = typed(&other);
    let mismatch = compare(locked.surface(), other.surface()).unwrap_err();
    assert_eq!(
        mismatch.to_string(),
        format!(
            "Interface fingerprint mismatch: expected {}, got {}",
            locked.fingerprint(),
            other.fingerprint()
        )
    );
    let names: Vec<&str> = mismatch
        .dimensions
        .iter()
        .map(|d| d.dimension.as_str())
        .collect();
    assert_eq!(names, ["inputs", "modes"]);
    assert_eq!(mismatch.dimensions[0].removed[0]["type"], "string");
    assert_eq!(mismatch.dimensions[0].added[0]["type"], "bytes");
}

#[test]
fn s7_version_bumps() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut new = contract();
        change(&mut new);
        required_bump(typed(&contract()).surface(), typed(&new).surface())
    };
    assert_eq!(with(&|c| c["purpose"] = json!("clearer")), Bump::Patch);
    let push = |c: &mut Value, field: &str, item: Value| {
        c[field].as_array_mut().unwrap().push(item);
    };
    let input = |constraint: &str| json!({"name": "n", "type": "int", "constraints": [constraint]});
    assert_eq!(
        with(&|c| push(c, "inputs", input("optional, else 1"))),
        Bump::Minor
    );
    assert_eq!(with(&|c| push(c, "inputs", input("positive"))), Bump::Major);
    let output = json!({"name": "n", "type": "int", "invariants": []});
    assert_eq!(with(&|c| push(c, "outputs", output.clone())), Bump::Minor);
    let error = json!({"name": "E", "when": "x", "surface": "code"});
    assert_eq!(
        with(&|c| push(c, "error_surfaces", error.clone())),
        Bump::Minor
    );
    assert_eq!(with(&|c| c["modes"]["notes"] = json!("pure")), Bump::Minor);
    assert_eq!(with(&|c| c["inputs"] = json!([])), Bump::Major);
    assert_eq!(
        with(&|c| c["inputs"][0]["constraints"] = json!([])),
        Bump::Major
    );
    assert_eq!(
        with(&|c| c["outputs"][0]["type"] = json!("bytes")),
        Bump::Major
    );
    assert_eq!(with(&|c| c["error_surfaces"] = json!([])), Bump::Major);
    assert_eq!(
        with(&|c| c["error_surfaces"][0]["when"] = json!("y")),
        Bump::Major
    );
    assert_eq!(with(&|c| c["modes"]["async"] = json!(true)), Bump::Major);
    let effect = json!({"type": "CALL", "target": "x", "description": "y"});
    assert_eq!(with(&|c| push(c, "effects", effect.clone())), Bump::Major);
}

#[test]
fn s8_3_versions_rise() {
    let version = Version::new(1, 2, 3);
    let bumped = |bump| version.bumped(bump).to_string();
    assert_eq!(bumped(Bump::Patch), "1.2.4");
    assert_eq!(bumped(Bump::Minor), "1.3.0");
    assert_eq!(bumped(Bump::Major), "2.0.0");
    assert_eq!(Version::FIRST.to_string(), "1.0.0");
    for bad in [
        "1.0",
        "1.0.0.0",
        "v1.0.0",
        "1.0.x",
        "1..0",
        "",
        "1.0.99999999999999999999",
        "1.0.-1",
    ] {
        assert!(Version::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn s5_4_every_constraint_invariant_and_error_has_a_test_of_its_name() {
    let contract = typed(&contract());
    let keys: Vec<String> = coverage::required(contract.surface())
        .into_iter()
        .map(|r| r.key)
        .collect();
    assert_eq!(
        keys,
        [
            "happy_path",
            "input__title__1",
            "input__title__2",
            "output__slug__1",
            "error__emptytitle"
        ]
    );
    let all = [
        "tests::happy_path",
        "test_input__title__1__rejects_empty",
        "slugify.tests.Test.test_input__title__2[1001]",
        "it::output__slug__1__alphabet",
        "error__EmptyTitle__blank",
    ];
    assert_eq!(coverage::missing(contract.surface(), all), []);
    for left_out in 0..all.len() {
        let mut some = all.to_vec();
        some.remove(left_out);
        assert_eq!(coverage::missing(contract.surface(), some).len(), 1);
    }
    let missing = coverage::missing(
        contract.surface(),
        ["happy_paths", "input__title__10", "x_error__emptytitle"],
    );
    assert_eq!(missing.len(), 5);
    assert!(
        missing[4]
            .failure()
            .starts_with("no test for error surface: EmptyTitle when")
    );
}

const EXAMPLES: &str = "# slugify\n\n## A title\n\nLetters become small.\n\n```json\n\"Hello World\"\n```\n\n```json\n\"hello-world\"\n```\n\n## EmptyTitle\n\nBlanks are refused.\n\n```json\n\"  \"\n```\n\n```text\nErr(EmptyTitle)\n```\n";

fn example_codes(text: &str, contract: &Value, points: &[&str]) -> Vec<String> {
    let report = examples::judge(text, typed(contract).surface(), points);
    report.errors.iter().map(|d| d.code.to_string()).collect()
}

#[test]
fn s12_4_the_floor_of_examples() {
    let none = Vec::<String>::new();
    assert_eq!(example_codes(EXAMPLES, &contract(), &[]), none);
    assert_eq!(example_codes("", &contract(), &[]), ["example_missing"; 2]);
    assert_eq!(
        example_codes(EXAMPLES, &contract(), &["slugify_all"]),
        ["example_missing"]
    );
    let named = EXAMPLES.replace("\"Hello World\"", "slugify(\"Hello World\")");
    assert_eq!(example_codes(&named, &contract(), &["slugify"]), none);
    let without_error = EXAMPLES.split("## EmptyTitle").next().unwrap();
    assert_eq!(
        example_codes(without_error, &contract(), &[]),
        ["example_missing"]
    );
    for placeholder in ["\"some_input\"", "\"...\"", "<your_value_here>", "..."] {
        let text = EXAMPLES.replace("\"Hello World\"", placeholder);
        assert_eq!(
            example_codes(&text, &contract(), &[]),
            ["example_placeholder"],
            "{placeholder}"
        );
    }
    let unexplained = EXAMPLES.replace("Letters become small.\n", "");
    assert_eq!(
        example_codes(&unexplained, &contract(), &[]),
        ["example_unexplained"]
    );
    let half = EXAMPLES.replace("```text\nErr(EmptyTitle)\n```\n", "");
    assert_eq!(
        example_codes(&half, &contract(), &[]),
        ["example_incomplete", "example_missing"]
    );
    let indented = EXAMPLES.replace("```text\nErr(EmptyTitle)\n```\n", "    Err(EmptyTitle)\n");
    assert!(example_codes(&indented, &contract(), &[]).contains(&"example_not_fenced".to_owned()));
    let items = "- Small letters:\n  ```\n  Hello\n  ```\n  ```\n  hello\n  ```\n- EmptyTitle for blanks:\n  ```\n  x\n  ```\n  ```\n  y\n  ```\n";
    assert_eq!(example_codes(items, &contract(), &[]), none);
}

#[test]
fn s12_4_effects_are_shown() {
    let mut with = contract();
    with["effects"] = json!([{"type": "WRITE", "target": "slugs.txt", "description": "appends"}]);
    assert_eq!(example_codes(EXAMPLES, &with, &[]), ["example_missing"]);
    let shown = EXAMPLES.replace(
        "Letters become small.",
        "Before: slugs.txt is empty. After: it has a line.",
    );
    assert_eq!(example_codes(&shown, &with, &[]), Vec::<String>::new());
}

fn any_surface() -> impl Strategy<Value = Surface> {
    let text = || prop_oneof![any::<String>(), "[\\x00-\\x7f]{0,8}"];
    let texts = || prop::collection::vec(text(), 0..3);
    let kinds = prop::sample::select(vec![
        EffectKind::Post,
        EffectKind::Put,
        EffectKind::Patch,
        EffectKind::Write,
        EffectKind::Call,
        EffectKind::Mutation,
    ]);
    let surfaces = prop::sample::select(vec![
        SurfaceKind::Exception,
        SurfaceKind::Code,
        SurfaceKind::Variant,
    ]);
    let inputs = (text(), text(), texts()).prop_map(|(name, type_, constraints)| Input {
        name,
        type_,
        constraints,
    });
    let outputs = (text(), text(), texts()).prop_map(|(name, type_, invariants)| Output {
        name,
        type_,
        invariants,
    });
    let errors = (text(), text(), surfaces).prop_map(|(name, when, surface)| ErrorSurface {
        name,
        when,
        surface,
    });
    let effects = (kinds, text(), text()).prop_map(|(type_, target, description)| Effect {
        type_,
        target,
        description,
    });
    let modes = (any::<bool>(), any::<bool>(), text()).prop_map(|(sync, async_, notes)| Modes {
        sync,
        async_,
        notes,
    });
    use prop::collection::vec as list;
    (
        list(inputs, 0..3),
        list(outputs, 0..3),
        list(errors, 0..3),
        list(effects, 0..3),
        modes,
    )
        .prop_map(
            |(inputs, outputs, error_surfaces, effects, modes)| Surface {
                inputs,
                outputs,
                error_surfaces,
                effects,
                modes,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s5_5_our_canonical_text_is_that_of_rfc_8785(surface in any_surface()) {
        let theirs = serde_json_canonicalizer::to_vec(&surface).unwrap();
        prop_assert_eq!(String::from_utf8(canonical(surface.surface())), String::from_utf8(theirs));
    }
}

#[test]
fn s7_a_version_says_what_its_change_needs() {
    let version = |text: &str| Version::parse(text).unwrap();
    for (old, new, required, good) in [
        ("1.0.0", "1.0.1", Bump::Patch, true),
        ("1.0.0", "1.0.4", Bump::Patch, true),
        // The same contract: only the last number rises.
        ("1.0.0", "1.1.0", Bump::Patch, false),
        ("1.0.0", "2.0.0", Bump::Patch, false),
        ("1.0.0", "1.0.1", Bump::Minor, false),
        ("1.0.0", "1.1.0", Bump::Minor, true),
        // A person may call an addition breaking.
        ("1.0.0", "2.0.0", Bump::Minor, true),
        ("1.2.3", "1.3.0", Bump::Major, false),
        ("1.2.3", "2.0.0", Bump::Major, true),
        ("1.2.3", "1.2.3", Bump::Patch, false),
        ("1.2.3", "1.2.2", Bump::Patch, false),
    ] {
        let found = judge_bump(version(old), version(new), required);
        assert_eq!(found.is_ok(), good, "{old} {new} {required:?}: {found:?}");
    }
}

#[test]
fn s5_4_what_a_suite_proves_is_known_by_its_names() {
    let contract: MicroModuleContract = serde_json::from_value(contract()).unwrap();
    let names: Vec<String> = coverage::required(contract.surface())
        .into_iter()
        .map(|one| format!("lines::test_{}__more", one.key))
        .chain([
            "lines::helper".to_owned(),
            "lines::happy_pathology".to_owned(),
        ])
        .collect();
    let covering = coverage::covering(contract.surface(), names.iter().map(String::as_str));
    assert_eq!(covering.len(), names.len() - 2);
}
