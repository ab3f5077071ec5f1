//! What a brief teaches passes the gate of its own state: the examples are cut out of the briefs as
//! agents get them, and played to the real gates. Whoever copies one says nothing, and is refused.

use crate::play::{Play, Stage, honest};
use crate::support::World;
use serde_json::Value;
use std::path::Path;

fn brief(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flow/workflows");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The first fenced block of this language.
fn fenced(text: &str, language: &str) -> String {
    let (_, rest) = text
        .split_once(&format!("```{language}\n"))
        .unwrap_or_else(|| panic!("no {language} in\n{text}"));
    rest.split("\n```").next().expect("a block").to_owned()
}

/// A run of these attempts, and of nobody else.
fn begun(workflow: &[&str], attempts: &str, files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text);
    }
    world.write(".gitignore", "agent/\n");
    world.write("agent/script.toml", attempts);
    let mut args = vec!["new"];
    args.extend(workflow);
    args.extend(["--name", "t", "--agent", "scripted:agent/script.toml"]);
    world.run(&args).exits(0);
    world
}

/// Something of one's own in every sentence; what is quoted stays.
fn in_own_words(value: &mut Value) {
    match value {
        Value::String(text) if text.split(' ').count() > 4 => text.push_str(", as can be seen"),
        Value::Array(items) => items.iter_mut().for_each(in_own_words),
        Value::Object(members) => {
            let members = members.iter_mut().filter(|(name, _)| *name != "snippet");
            members.for_each(|(_, value)| in_own_words(value));
        }
        _ => {}
    }
}

/// An attempt that leaves a result in the form of a brief's own example.
fn example(state: &str) -> String {
    let text = fenced(&brief(&format!("slice/briefs/{state}.md")), "json");
    let mut result: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    in_own_words(&mut result);
    format!("[[attempt]]\nstate = \"{state}\"\nresult_text = '''{result}'''\n\n")
}

#[test]
fn the_examples_of_slice_pass_its_gates() {
    let intake = example("intake").replace(
        "result_text",
        "steps = [\n\
         { set = \"Slice ID\", to = \"S-0001\" },\n\
         { set = \"Slice\", to = \"Greet Ada.\" },\n\
         { set = \"Scope cap\", to = \"Only `src/**` and `tests/**`, not `!src/generated/**`; enough when the entry point and its tests are found.\" },\n\
         { set = \"Edit cap\", to = \"Only `src/**`.\" },\n\
         { set = \"Gate (iteration)\", to = \"`grep -q fn src/lib.rs`\" },\n\
         { set = \"Gate (exit)\", to = \"`grep -q fn src/lib.rs`\" },\n\
         ]\nresult_text",
    );
    let audits = example("choose")
        .replace("state = \"choose\"", "state = \"choose\"\nattempt = 1")
        .replace("\"next\":\"edit\"", "\"next\":\"audit\"");
    let written = r##"[[attempt]]
state = "plan"
steps = [{ write = "task/plan.md", text = "# Plan\n\n## Steps\n- greet Ada in the one place (F-0003)\n\n## Gate\nit is looked for\n" }]
result = { summary = "planned" }
[[attempt]]
state = "edit"
steps = [{ append = "repo/src/lib.rs", text = "// Ada\n" }]
result = { summary = "edited" }
"##;
    let examples = ["scout", "consolidate", "choose", "audit"].map(example);
    let script = [intake, written.to_owned(), audits, examples.concat()].concat();
    // The example itself is no answer, though everything that it points to is there.
    let copied = example("consolidate")
        .replace(", as can be seen", "")
        .replace("result_text", "attempt = 1\nresult_text");
    let script = format!("{copied}{script}");
    // The intake's question and that of the consolidation are both open.
    let open = r#"{"as":"open","of":"I-0001"}"#;
    let both = format!("{open},{}", open.replace("I-0001", "I-0002"));
    let weighs = example("weigh").replace(open, &both);
    assert!(weighs.contains("I-0002"), "{weighs}");
    let code = format!(
        "{}pub fn greet(name: &str) -> String {{\n",
        "//\n".repeat(11)
    );
    let world = begun(
        &["slice", "greet Ada", "--check", "true"],
        &format!("{script}{weighs}"),
        &[("src/lib.rs", &code)],
    );
    let reaches = |states: &[&str]| {
        for reached in states {
            world.run(&["run", "t", "--once"]);
            assert_eq!(world.status()["state"], *reached, "{:#}", world.status());
        }
    };
    reaches(&["scout", "consolidate", "consolidate"]);
    let judged = world.judged("t");
    assert!(judged.contains("the brief's own words"), "{judged}");
    reaches(&["plan", "edit", "choose", "audit"]);
    reaches(&["weigh", "weigh"]);
    // Evidence has its name from the engine, and the brief tells it; all else is as it is taught.
    let brief = crate::quick::kept(&world, " weigh brief").remove(0);
    let (_, new) = brief
        .split_once("that no snapshot holds yet")
        .expect("new evidence");
    let at = new.find("E-0").expect("a name of evidence");
    let named = weighs.replace("E-0009", &new[at..at + 6]);
    world.write("agent/script.toml", &format!("{script}{named}"));
    reaches(&["choose", "edit"]);
}

/// A run of `add` whose analyst has found its ground, and nothing else yet.
pub(crate) fn grounded() -> World {
    let anchors = fenced(&brief("add/briefs/ground.md"), "markdown");
    let script = format!(
        "[[attempt]]\nstate = \"ground\"\nsteps = [{{ edit = \"task/TASK.md\", find = \"## 1 Specify\", replace = '''{anchors}\n\n## 1 Specify''' }}]\nresult = {{ summary = \"grounded\" }}\n"
    );
    let files = [
        ("src/cart.py", "items = []\n"),
        ("src/__main__.py", "def main():\n    pass\n"),
    ];
    let world = begun(&["add", "Totals"], &script, &files);
    world.run(&["run", "t", "--once"]);
    world
}

#[test]
fn the_anchors_that_ground_teaches_are_found() {
    let world = grounded();
    assert_eq!(world.status()["state"], "specify", "{:#}", world.status());
}

#[test]
fn the_cost_that_expand_teaches_is_one() {
    let brief = brief("lights-out/briefs/expand.md");
    let line = brief
        .lines()
        .find(|line| line.contains("## Estimated Cost"));
    let cost = line
        .and_then(|line| line.split('`').nth(3))
        .expect("an example");
    let happy = include_str!("../data/lights-out/happy.toml");
    let (_, expand) = happy
        .split_once("state = \"Expanding\"")
        .expect("it expands");
    let expand = expand.split("[[attempt]]").next().expect("an attempt");
    let (before, after) = expand.split_once("## Estimated Cost\n").expect("a section");
    let (_, after) = after.split_once("##").expect("another one");
    let script =
        format!("[[attempt]]\nstate = \"Expanding\"{before}## Estimated Cost\n{cost}\n##{after}");
    let files = [("preferences.md", "# Preferences\n\nStack: Rust\n")];
    let world = begun(&["lights-out", "build me a greeter"], &script, &files);
    world.run(&["run", "t", "--once"]);
    assert_eq!(world.status()["state"], "Designing", "{:#}", world.status());
}

#[test]
fn the_forms_that_design_teaches_are_taken() {
    let brief = brief("lights-out/briefs/design.md");
    let taught = |heading: &str| {
        let (_, rest) = brief.split_once(&format!("`## {heading}`")).expect(heading);
        let form = rest.split('`').nth(1).expect("a form");
        format!("## {heading}\n- the mailer; {form}\n")
    };
    let happy = include_str!("../data/lights-out/happy.toml");
    let attempt = |state: &str| {
        let (_, rest) = happy
            .split_once(&format!("state = \"{state}\""))
            .expect(state);
        let rest = rest.split("[[attempt]]").next().expect("an attempt");
        format!("[[attempt]]\nstate = \"{state}\"{rest}")
    };
    let mut designs = attempt("Designing");
    for heading in ["External Integrations", "Open Questions"] {
        let plain = format!("## {heading}\nnone\n");
        assert!(designs.contains(&plain), "{designs}");
        designs = designs.replace(&plain, &taught(heading));
    }
    let files = [("preferences.md", "# Preferences\n\nStack: Rust\n")];
    let script = [attempt("Expanding"), designs].concat();
    let world = begun(&["lights-out", "build me a greeter"], &script, &files);
    for reached in ["Designing", "Analyzing"] {
        world.run(&["run", "t", "--once"]);
        assert_eq!(world.status()["state"], reached, "{:#}", world.status());
    }
}

/// The last result that a brief shows, in words of one's own. Where it asks questions, each is answered as the
/// brief says that it passes, with the place that is given.
fn taught(brief: &str, place: &str) -> Value {
    let shown = brief.rsplit("```json\n").filter_map(|rest| {
        let text = rest.split("\n```").next()?;
        let value: Value = serde_json::from_str(text).ok()?;
        value.get("summary").is_some().then_some(value)
    });
    let mut result = shown.last().unwrap_or_else(|| panic!("{brief}"));
    in_own_words(&mut result);
    let Some(answers) = result.get_mut("answers") else {
        return result;
    };
    let asked = brief.lines().filter_map(|line| {
        let (id, rest) = line.strip_prefix("- `")?.split_once("`: ")?;
        let (asks, passes) = rest.split_once(" It passes with: ")?;
        let answer = passes.split([',', '.']).next()?;
        let evidence = format!("{place} is where I looked: {}", asks.to_lowercase());
        Some((
            id.to_owned(),
            serde_json::json!({"answer": answer, "evidence": evidence}),
        ))
    });
    *answers = Value::Object(asked.collect());
    result
}

/// Each agent works as the honest one does, and says what its own brief shows.
#[test]
fn the_results_that_briefs_teach_pass_their_gates() {
    for (workflow, new, place) in [
        (
            "quick",
            &["--set", "review=yes", "--autonomy", "auto"][..],
            "src/total.sh",
        ),
        ("phase", &[], "task/artifacts/seen.txt"),
        ("add", &[], "task/TASK.md"),
    ] {
        let mut play: Play = toml::from_str(&format!(
            "workflow = \"{workflow}\"\nnew = {new:?}\nends = {{ state = \"done\" }}"
        ))
        .unwrap();
        let stage = Stage::set(&play);
        assert_eq!(play.faults_on(&stage), [""; 0], "{workflow}");
        let journal = stage.world.journal();
        let named = journal
            .iter()
            .filter_map(|record| record["body"]["outcome"]["evidence"].as_array());
        let briefs = named
            .flatten()
            .filter(|piece| piece["name"].as_str().unwrap().ends_with(" brief"));
        let mut script = String::new();
        let mut said = 0;
        for brief in briefs {
            let state = brief["name"].as_str().unwrap().split(' ').nth(1).unwrap();
            let hash = brief["hash"].as_str().unwrap();
            let text = stage
                .world
                .read(&format!(".proofhouse/evidence/{}/{hash}", &hash[..2]));
            let honest = honest(workflow).0;
            let own = honest
                .split("[[attempt]]")
                .find(|own| own.contains(&format!("state = \"{state}\"")));
            let own = own.unwrap_or_else(|| panic!("nobody works in {state}"));
            let (works, _) = own.split_once("\nresult = ").expect("a result");
            let result = taught(&text, place);
            script.push_str(&format!(
                "[[attempt]]{works}\nresult_text = '''{result}'''\n"
            ));
            said += 1;
        }
        assert!(said > 1, "{script}");
        play.script = script;
        assert_eq!(play.faults(), [""; 0], "{workflow}: {}", play.script);
    }
}

/// Some of what the method asks for is nobody's to check: whether a change is related, in which order findings
/// were mended. Whoever works is told, and no edit of a brief loses it.
#[test]
fn what_no_gate_can_see_stands_in_the_brief() {
    for (name, told) in [
        ("lights-out/briefs/review-fix.md", "one at a time"),
        (
            "lights-out/briefs/review-fix.md",
            "reproduce it, fix it, run the proof",
        ),
        (
            "slice/briefs/edit.md",
            "small, reviewable changes inside the edit cap",
        ),
        ("slice/briefs/edit.md", "no unrelated refactoring"),
    ] {
        let brief = brief(name).replace('\n', " ");
        assert!(brief.contains(told), "{name}: {told}: {brief}");
    }
}
