//! `proofs`: the commands that a verifier says prove each criterion, run again by the engine. It
//! refuses the verifier's word: only the exit code and the output of our own run count, and a
//! command that proves nothing but itself is none: by its text, or because it shows the same where
//! there is no product.

use crate::execute::{Errand, execute};
use crate::judge::{Judged, Judges, Trouble};
use crate::readers::documents::sections_of;
use crate::readers::hollow_commands::{beyond_tests, proves_nothing};
use crate::readers::idents::Pattern;
use crate::readers::paths;
use crate::readers::table::{Record, records};
use crate::room::Room;
use crate::settings::Settings;
use crate::text::{answer, first_few, is_placeholder, label};
use crate::{Example, Setting, Subject};
use kernel::outcome::{CheckResult, Verdict};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The check.
pub(crate) struct Proofs;

pub(crate) struct Wanted<'a> {
    file: &'a str,
    section: Option<&'a str>,
    scope: Option<(Pattern, &'a str, Option<&'a str>)>,
    timeout: Option<Duration>,
    beyond_tests: i64,
    without_product: WithoutProduct,
}

/// What a command does where there is nothing of the repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithoutProduct {
    /// It must not hold there.
    Fails,
    /// Nobody asks.
    Unasked,
}

/// How much longer than in the repository a command may take without the product. One that waits
/// for what is not there does not hold there.
const PATIENCE: Duration = Duration::from_secs(5);

const COLUMNS: [&str; 3] = [
    "id",
    "command",
    "expect|expected|expected observation|observation|expected output",
];
/// More than this is no list of proofs.
const MOST: usize = 500;

impl Judges for Proofs {
    const NAME: &'static str = "proofs";
    const ABOUT: &'static str =
        "each listed command, run again, ends with exit code 0 and shows what was observed";
    const SETTINGS: &'static [Setting] = &[
        Setting::required(
            "file",
            "JSON, or Markdown with a table: Id, Command, Expect",
        ),
        Setting::optional("section", "the heading over the table; the whole file"),
        Setting::optional("ids", "expression for ids of which each needs a proof"),
        Setting::optional(
            "ids_from",
            "the file with the ids; `task/...` or `repo/...`",
        ),
        Setting::optional("ids_section", "the heading over the ids; the whole file"),
        Setting::optional(
            "beyond_tests",
            "how many commands must do more than run tests and look at files; 0",
        ),
        Setting::optional(
            "without_product",
            "`fails`: a command may not hold with only the task's documents, without network",
        ),
        Setting::optional("timeout_seconds", "wall limit of each command"),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged<Vec<CheckResult>>;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let section = settings.text("ids_section")?;
        let scope = match (settings.text("ids")?, settings.placed("ids_from")?) {
            (None, None) if section.is_none() => None,
            (Some(pattern), Some(file)) => Some((Pattern::new(pattern)?, file, section)),
            _ => return Err("`proofs`: `ids` and `ids_from` go together".into()),
        };
        Ok(Wanted {
            file: settings.placed("file")?.unwrap_or_default(),
            section: settings.text("section")?,
            scope,
            timeout: settings.seconds("timeout_seconds", 1)?,
            beyond_tests: settings
                .number("beyond_tests", 0, MOST as i64)?
                .unwrap_or(0),
            without_product: match settings.text("without_product")? {
                None => WithoutProduct::Unasked,
                Some("fails") => WithoutProduct::Fails,
                Some(_) => return settings.refuse("without_product", "`fails`"),
            },
        })
    }

    fn judge(wanted: &Self::Wanted<'_>, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let proofs = listed(wanted, subject)?;
        let room = match wanted.without_product {
            WithoutProduct::Fails => Room::of_papers(subject).map_err(Trouble::CouldNotRun)?,
            WithoutProduct::Unasked => None,
        };
        let rerun = |proof| again(proof, wanted, subject, room.as_ref(), started);
        Ok(proofs.iter().map(rerun).collect())
    }

    fn examples() -> Vec<Example> {
        let with = || {
            json!({
                "file": "task/verify.md", "ids": "AC-\\d+", "ids_from": "repo/scope.md",
            })
        };
        let plain = || json!({"file": "task/verify.json"});
        const SCOPE: &[(&str, &str)] = &[
            ("scope.md", "# Acceptance Criteria\n- AC-1: a\n- AC-2: b\n"),
            ("total.txt", "total 42\n"),
        ];
        vec![
            Example {
                repo: SCOPE,
                task: &[(
                    "verify.md",
                    "| Id | Command | Expected observation |\n|---|---|---|\n| AC-1 | `cat total.txt` | total 42 |\n| AC-2 | `ls` | scope.md |\n",
                )],
                ..Example::passes(
                    "every proof holds",
                    with(),
                    "exit code 0, and `scope.md` is seen",
                )
            },
            Example {
                repo: SCOPE,
                task: &[(
                    "verify.md",
                    "| Id | Command | Expected observation |\n|---|---|---|\n| AC-1 | `cat total.txt` | total 42 |\n",
                )],
                ..Example::fails("a criterion without a proof", with(), "no proof of AC-2")
            },
            Example {
                repo: SCOPE,
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"cat total.txt\", \"expect\": \"total 43\"}]",
                )],
                ..Example::fails(
                    "another observation",
                    plain(),
                    "`total 43` is not in the output",
                )
            },
            Example {
                repo: SCOPE,
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"cat total.txt; exit 1\", \"expect\": \"total 42\"}]",
                )],
                ..Example::fails("another exit code", plain(), "exit code 1")
            },
            Example {
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"true && echo it works\", \"expect\": \"it works\"}]",
                )],
                ..Example::fails("a command that only says so", plain(), "proves nothing")
            },
            Example {
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"ls; echo it works\", \"expect\": \"it works\"}]",
                )],
                ..Example::fails(
                    "a command that looks, and then says so",
                    plain(),
                    "proves nothing",
                )
            },
            Example {
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"cat ../task/verify.json\", \"expect\": \"it works\"}]",
                )],
                ..Example::fails("a list that proves itself", plain(), "proves nothing")
            },
            Example {
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"ls\", \"expect\": \"TBD\"}]",
                )],
                ..Example::fails("nothing to observe", plain(), "AC-1 has no `expect`")
            },
            Example {
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"no-such-program-of-ours\", \"expect\": \"x\"}]",
                )],
                ..Example::cannot_run("a missing program", plain(), "the shell cannot run it")
            },
            Example {
                repo: SCOPE,
                task: &[(
                    "verify.json",
                    "[{\"id\": \"AC-1\", \"command\": \"cargo test ac_1 | grep ok\", \"expect\": \"ok\"}]",
                )],
                ..Example::fails(
                    "nobody ran the product",
                    json!({"file": "task/verify.json", "beyond_tests": 1}),
                    "0 of at least 1 commands run the product itself",
                )
            },
            Example {
                task: &[("verify.json", "[]")],
                ..Example::fails("no proofs", plain(), "lists no proof")
            },
            Example::cannot_run(
                "ids from nowhere",
                json!({"file": "task/a.json", "ids": "AC-\\d+"}),
                "`ids` and `ids_from` go together",
            ),
        ]
    }
}

/// The proofs as they are listed, if the list is whole. Nothing is run before that is known.
fn listed(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Result<Vec<Record>, String> {
    let file = wanted.file;
    let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
    let proofs =
        records(file, &text, wanted.section, &COLUMNS).map_err(|why| format!("{file} {why}"))?;
    if proofs.is_empty() || proofs.len() > MOST {
        let said = if proofs.is_empty() {
            "no proof"
        } else {
            "too many proofs"
        };
        return Err(format!("{file} lists {said}"));
    }
    let mut wrong = Vec::new();
    // Whoever prints the list finds in it whatever the list expects.
    let own = file.rsplit('/').next().unwrap_or(file);
    for proof in &proofs {
        let id = &proof["id"];
        for column in ["id", "command", "expect"] {
            if is_placeholder(&proof[column]) {
                wrong.push(format!("{id} has no `{column}`"));
            }
        }
        if proves_nothing(&proof["command"], &proof["expect"]) || proof["command"].contains(own) {
            wrong.push(format!(
                "{id}: `{}` proves nothing",
                label(&proof["command"])
            ));
        }
    }
    let beyond = proofs
        .iter()
        .filter(|proof| beyond_tests(&proof["command"]));
    let beyond = beyond.count() as i64;
    if beyond < wanted.beyond_tests {
        wrong.push(format!(
            "{beyond} of at least {} commands run the product itself",
            wanted.beyond_tests
        ));
    }
    if let Some((pattern, from, section)) = &wanted.scope {
        let sections = sections_of(subject, from, *section)?;
        let ids: BTreeSet<String> = sections
            .iter()
            .flat_map(|section| pattern.set(&section.content))
            .collect();
        if ids.is_empty() {
            wrong.push(format!("{from} has no id to prove"));
        }
        let proven: BTreeSet<String> = proofs
            .iter()
            .flat_map(|proof| pattern.set(&proof["id"]))
            .collect();
        let without: Vec<&String> = ids.difference(&proven).collect();
        if !without.is_empty() {
            wrong.push(format!("no proof of {}", first_few(&without, 10)));
        }
    }
    if wrong.is_empty() {
        return Ok(proofs);
    }
    Err(format!("{file}: {}", first_few(&wrong, 5)))
}

/// Runs one proof again.
fn again(
    proof: &Record,
    wanted: &Wanted<'_>,
    subject: &Subject<'_>,
    room: Option<&Room>,
    started: Instant,
) -> CheckResult {
    let (command, expect) = (proof["command"].as_str(), proof["expect"].as_str());
    let name = format!("proofs: {}", label(&proof["id"]));
    let executed = match execute(subject, Errand::shell(command, wanted.timeout, started)) {
        Ok(executed) => executed,
        Err(why) => return answer(&name, Verdict::CouldNotRun, &why),
    };
    let shown = label(expect);
    let (verdict, reason) = match executed.worthless().or_else(|| executed.not_found()) {
        Some(worthless) => worthless,
        None if executed.ended.exit != Some(0) => {
            let (ending, last) = (executed.ending().unwrap_or_default(), executed.last_line());
            (
                Verdict::Fail,
                format!("{ending}, not 0; last output: {last}"),
            )
        }
        None if !executed.says(expect) => {
            let last = executed.last_line();
            let reason = format!("`{shown}` is not in the output; last output: {last}");
            (Verdict::Fail, reason)
        }
        None => {
            let allowed = Duration::from_millis(executed.ended.millis) * 2 + PATIENCE;
            let allowed = wanted.timeout.map_or(allowed, |most| most.min(allowed));
            match room.map(|room| holds_in(room, proof, subject, (allowed, started))) {
                Some(Err(why)) => (Verdict::CouldNotRun, why),
                Some(Ok(true)) => (
                    Verdict::Fail,
                    format!(
                        "it proves nothing: `{shown}` is seen as well where nothing of the product is"
                    ),
                ),
                Some(Ok(false)) | None => {
                    (Verdict::Pass, format!("exit code 0, and `{shown}` is seen"))
                }
            }
        }
    };
    executed.answer(&name, verdict, &reason)
}

/// Does the proof hold in a room without the product as well?
fn holds_in(
    room: &Room,
    proof: &Record,
    subject: &Subject<'_>,
    (allowed, started): (Duration, Instant),
) -> Result<bool, String> {
    let executed = room.inside(subject, |inside| {
        let errand = Errand::shell(&proof["command"], Some(allowed), started);
        execute(inside, errand)
    })?;
    if subject.cancel.is_cancelled() {
        return Err("it was cancelled".to_owned());
    }
    let ended = &executed.ended;
    Ok(ended.killed.is_none() && ended.exit == Some(0) && executed.says(&proof["expect"]))
}
