//! What people and scripts are shown, whole: every reading command on runs of the scripted agent, as
//! text and as JSON, with what differs from day to day taken out. A member that is missing in a
//! snapshot's diff is a script that breaks.

use crate::support::{HONEST, TASK, World};
use crate::{factory_people, factory_run, product, waves};
use regex::Regex;
use serde_json::Value;
use std::fmt::Write;

/// What is another thing each time, in the order in which it is replaced.
const VARIES: [(&str, &str); 16] = [
    (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)?",
        "TIME",
    ),
    (r"\d{4}-\d\d-\d\d", "DAY"),
    (r"\b[0-9a-f]{12,64}\b…?", "HASH"),
    (r"SHA256:[A-Za-z0-9+/]{43}", "KEY"),
    (r#""(size|millis|wall_millis)": \d+"#, "\"$1\": 0"),
    (
        r#"("wall_millis": \{\s*"cap": \d+,\s*"used": )\d+"#,
        "${1}0",
    ),
    (r#""run_code": "[^"]*""#, "\"run_code\": \"CODE\""),
    (r"run code    [0-9A-Z]{6}", "run code    CODE"),
    (r"\b(ESC|EXC|REL|ICE|PRJ|CTX|REV)-[0-9A-Za-z-]{6,}", "$1-ID"),
    (r"\bsession [^ ]+ \(version [^)]*\)", "session ID"),
    (
        r" *(\b\d+h \d\dm|\b\d+m \d\ds|\b\d+(\.\d+)?(ms|s)\b)",
        " SPAN",
    ),
    (r"\b\d+ (min \d\d s|h \d\d min|ms)\b|\b\d+\.\d s\b", "SPAN"),
    (r"\b\d+(\.\d)? (B|kB|MB)\b", "SIZE"),
    (r#"x="\d+" width="\d+""#, "x=\"PART\" width=\"PART\""),
    (r#"title="TIME">[0-9:]+<"#, "title=\"TIME\">CLOCK<"),
    (r"[ \t]+\n", "\n"),
];

struct Shown<'w> {
    world: &'w World,
    text: String,
}

impl Shown<'_> {
    fn of(world: &World) -> Shown<'_> {
        Shown {
            world,
            text: String::new(),
        }
    }

    fn plain(&self, text: &str) -> String {
        let here = self.world.path().canonicalize().unwrap();
        let mut text = text.replace(here.to_str().unwrap(), "REPO");
        for (pattern, instead) in VARIES {
            text = Regex::new(pattern)
                .unwrap()
                .replace_all(&text, instead)
                .into_owned();
        }
        text
    }

    /// A page below its style, a line for each element.
    fn page(&self, path: &str) -> String {
        let page = self.world.read(path);
        let (_, body) = page.split_once("</style>").unwrap();
        self.plain(&body.replace("><", ">\n<"))
    }

    /// A command, as text and as JSON.
    fn both(&mut self, args: &[&str]) {
        self.text(args);
        self.json(args);
    }

    fn text(&mut self, args: &[&str]) {
        let said = self.world.run(args);
        let (out, err) = (self.plain(&said.out), self.plain(&said.err));
        let _ = writeln!(
            self.text,
            "$ {} [{}]\n{out}{err}",
            args.join(" "),
            said.code
        );
    }

    fn json(&mut self, args: &[&str]) {
        let said = self.world.run(&[args, &["--json"]].concat());
        let whole = serde_json::from_str::<Value>(&said.out);
        let shown = match whole {
            Ok(value) => serde_json::to_string_pretty(&value).unwrap(),
            // One record on each line: which kinds, with which members.
            Err(_) => said.out.lines().map(members).collect::<Vec<_>>().join("\n"),
        };
        let shown = self.plain(&shown);
        let _ = writeln!(
            self.text,
            "$ {} --json [{}]\n{shown}\n",
            args.join(" "),
            said.code
        );
    }
}

fn members(line: &str) -> String {
    let record: Value = serde_json::from_str(line).unwrap();
    let names: Vec<&String> = record.as_object().unwrap().keys().collect();
    format!("{} {} {names:?}", record["seq"], record["kind"])
}

#[test]
fn a_run_from_its_start_to_its_end() {
    let world = World::new();
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let told = ["--dir", "tasks/t", "--check", crate::support::CHECK];
    let agent = ["--agent", "scripted:agent/script.toml"];
    let new = [&TASK[..], &told, &agent].concat();
    let mut shown = Shown::of(&world);
    shown.text(&["status"]);
    shown.json(&new);
    shown.both(&["status", "t"]);
    world.run(&["run", "t"]).exits(0);
    for args in [
        &["status"][..],
        &["status", "t"],
        &["log", "t"],
        &["log", "t", "--last", "2"],
        &["inbox"],
        &["audit"],
        &["run", "t"],
    ] {
        shown.both(args);
    }
    insta::assert_snapshot!(shown.text);
    let page = shown.page("tasks/t/artifacts/evidence.html");
    insta::assert_snapshot!("run_page", page);
    insta::assert_snapshot!(
        "run_evidence",
        shown.plain(&world.read("tasks/t/EVIDENCE.md"))
    );
}

#[test]
fn a_run_that_waits_for_a_person() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    let mut shown = Shown::of(&world);
    shown.both(&["run", "t"]);
    for args in [&["status"][..], &["status", "t"], &["inbox"]] {
        shown.both(args);
    }
    let key = world.approver("ann").display().to_string();
    let because = ["--because", "looked at it", "--sign", &key];
    shown.json(&[&["decide", "t", "approve"][..], &because].concat());
    shown.both(&["inbox"]);
    world.write(".proofhouse/journal/broken.jsonl", "{\n");
    for args in [
        &["status"][..],
        &["status", "broken"],
        &["inbox"],
        &["log", "broken"],
    ] {
        shown.both(args);
    }
    insta::assert_snapshot!(shown.text.replace(&key, "KEYFILE"));
    let page = shown.page("tasks/t/artifacts/evidence.html");
    insta::assert_snapshot!("waiting_page", page);
}

#[test]
fn a_spec_that_waits_for_a_person() {
    let world = product::began(&product::script());
    world.run(&["factory", "run", "p"]).exits(2);
    let mut shown = Shown::of(&world);
    for args in [
        &["factory", "status"][..],
        &["factory", "review", "p"],
        &["status"],
        &["inbox"],
        &["log", "p"],
    ] {
        shown.both(args);
    }
    insta::assert_snapshot!(shown.text);
}

#[test]
fn a_project_that_was_halted() {
    let world = factory_run::started(&factory_people::halting());
    world.run(&["factory", "run", "p"]).exits(2);
    let mut shown = Shown::of(&world);
    for args in [
        &["factory", "status", "p"][..],
        &["status", "p"],
        &["status"],
        &["inbox"],
        &["log", "p"],
        &["audit"],
    ] {
        shown.both(args);
    }
    insta::assert_snapshot!(shown.text);
    let page = shown.page(".proofhouse/views/p/evidence.html");
    insta::assert_snapshot!("project_page", page);
}

#[test]
fn a_milestone() {
    let world = waves::world();
    let head = "criteria = [\"a is there (verify: test -f a.txt)\", \"it is nice\"]\n";
    let tasks = [
        waves::task("a", ""),
        waves::task("b", "depends_on = [\"a\"]"),
    ];
    waves::milestone(&world, "m", head, &tasks);
    let mut shown = Shown::of(&world);
    shown.both(&["wave", "status"]);
    shown.json(&["wave", "run", "m", "--jobs", "1"]);
    for args in [
        &["wave", "status", "m"][..],
        &["status"],
        &["inbox"],
        &["audit"],
        &["gc", "--dry-run"],
    ] {
        shown.both(args);
    }
    insta::assert_snapshot!(shown.text);
    let page = world.read(".proofhouse/milestones/m/MILESTONE.md");
    insta::assert_snapshot!("milestone_page", shown.plain(&page));
}
