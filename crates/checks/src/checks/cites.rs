//! `cites`: every entry rests on names that the run has given out. It refuses a name that is not
//! there (any more), and an entry that cites nothing.

use crate::judge::{Judged, Judges};
use crate::readers::{markdown, paths};
use crate::settings::Settings;
use crate::text::{first_few, label};
use crate::{Example, Setting, Subject};
use regex::Regex;
use serde_json::{Value, json};

/// The check.
pub(crate) struct Cites;

pub(crate) struct Wanted<'a> {
    place: Place<'a>,
    pattern: Regex,
    never: Option<Regex>,
    known: &'a str,
    all: Option<&'a str>,
}

enum Place<'a> {
    Section(&'a str, &'a str),
    Result(&'a str),
}

impl Judges for Cites {
    const NAME: &'static str = "cites";
    const ABOUT: &'static str =
        "each entry cites names that the run knows, and none that it does not";
    const SETTINGS: &'static [Setting] = &[
        Setting::optional("file", "`task/...` or `repo/...`; or else `result`"),
        Setting::optional("section", "the heading over the entries, with `file`"),
        Setting::optional("result", "a key of the agent's result, in place of a file"),
        Setting::required("pattern", "a regular expression for the names"),
        Setting::required("known", "the kind of names: `facts`, `evidence`, `issues`"),
        Setting::optional("all", "a kind of names all of which must be cited"),
        Setting::optional(
            "never",
            "a regular expression for names that no entry may cite",
        ),
    ];
    type Wanted<'a> = Wanted<'a>;
    type Answer = Judged;

    fn read<'a>(settings: &Settings<'a>) -> Result<Wanted<'a>, String> {
        let expression = |key: &str| -> Result<Option<Regex>, String> {
            match settings.text(key)?.map(Regex::new) {
                None => Ok(None),
                Some(Ok(found)) => Ok(Some(found)),
                Some(Err(_)) => settings.refuse(key, "a regular expression"),
            }
        };
        let (file, section) = (settings.placed("file")?, settings.text("section")?);
        let place = match (file, section, settings.text("result")?) {
            (Some(file), Some(section), None) => Place::Section(file, section),
            (None, None, Some(key)) => Place::Result(key),
            _ => return Err("`cites` needs either `file` and `section`, or `result`".into()),
        };
        let Some(pattern) = expression("pattern")? else {
            return settings.refuse("pattern", "a regular expression");
        };
        Ok(Wanted {
            place,
            pattern,
            never: expression("never")?,
            known: settings.text("known")?.unwrap_or_default(),
            all: settings.text("all")?,
        })
    }

    fn judge(wanted: &Wanted<'_>, subject: &Subject<'_>) -> Judged {
        let entries = entries(&wanted.place, subject)?;
        if entries.is_empty() {
            return Err("there is no entry that could cite anything"
                .to_owned()
                .into());
        }
        let nothing = Default::default();
        let known = subject.known.get(wanted.known).unwrap_or(&nothing);
        let (mut wrong, mut cited) = (Vec::new(), std::collections::BTreeSet::new());
        for entry in &entries {
            let shown = label(entry);
            let names: Vec<&str> = wanted
                .pattern
                .find_iter(entry)
                .map(|found| found.as_str())
                .collect();
            if names.is_empty() {
                wrong.push(format!("`{shown}` cites nothing"));
            }
            for name in names {
                match known.contains(name) {
                    true => {
                        cited.insert(name);
                    }
                    false => wrong.push(format!(
                        "`{shown}` cites {name}, which is not there (fact_not_consolidated)"
                    )),
                }
            }
            if let Some(found) = wanted.never.as_ref().and_then(|never| never.find(entry)) {
                let name = found.as_str();
                wrong.push(format!(
                    "`{shown}` cites {name}, which is not to be planned on"
                ));
            }
        }
        let all = wanted.all.and_then(|kind| subject.known.get(kind));
        let left_out: Vec<&str> = all
            .into_iter()
            .flatten()
            .map(String::as_str)
            .filter(|name| !cited.contains(name))
            .collect();
        if !left_out.is_empty() {
            wrong.push(format!("nothing cites {}", first_few(&left_out, 5)));
        }
        if wrong.is_empty() {
            return Ok(format!(
                "{} entries cite {} names",
                entries.len(),
                cited.len()
            ));
        }
        Err(first_few(&wrong, 3).into())
    }

    fn examples() -> Vec<Example> {
        let with = || {
            json!({
                "file": "task/plan.md", "section": "Steps",
                "pattern": "F-[0-9]{4}", "known": "facts", "never": "E-[0-9]{4}"
            })
        };
        let of = |example: Example, task| Example {
            known: &[("facts", "F-0001"), ("facts", "F-0002")],
            task,
            ..example
        };
        let bad = |name, task, reason| of(Example::fails(name, with(), reason), task);
        let because = || json!({"result": "because", "pattern": "F-[0-9]{4}", "known": "facts"});
        vec![
            of(
                Example::passes("facts that are there", with(), "2 entries cite 2 names"),
                &[(
                    "plan.md",
                    "# Steps\n- mend a (F-0001)\n- test it (F-0002, F-0001)\n",
                )],
            ),
            bad(
                "a fact that is not there",
                &[("plan.md", "# Steps\n- mend a (F-0009)\n")],
                "F-0009, which is not there (fact_not_consolidated)",
            ),
            bad(
                "nothing is cited",
                &[("plan.md", "# Steps\n- mend a\n")],
                "cites nothing",
            ),
            bad(
                "raw evidence",
                &[("plan.md", "# Steps\n- mend a (F-0001, E-0003)\n")],
                "cites E-0003, which is not to be planned on",
            ),
            bad("no entries", &[("plan.md", "# Steps\nsoon\n")], "no entry"),
            of(
                Example {
                    result: Some(json!({"because": "F-0001: a is wrong"})),
                    ..Example::passes("in the result", because(), "1 entries")
                },
                &[],
            ),
            of(
                Example {
                    result: Some(json!({"because": "the verifier says so"})),
                    ..Example::fails("a reason from nowhere", because(), "cites nothing")
                },
                &[],
            ),
            Example {
                known: &[
                    ("facts", "F-0001"),
                    ("facts", "F-0002"),
                    ("criteria", "F-0002"),
                ],
                result: Some(json!({"because": "F-0001"})),
                ..Example::fails(
                    "one that must be cited is not",
                    json!({"result": "because", "pattern": "F-[0-9]{4}", "known": "facts", "all": "criteria"}),
                    "nothing cites F-0002",
                )
            },
            Example::cannot_run(
                "neither",
                json!({"pattern": "F", "known": "facts"}),
                "either `file` and `section`, or `result`",
            ),
        ]
    }
}

fn entries(place: &Place<'_>, subject: &Subject<'_>) -> Result<Vec<String>, String> {
    match place {
        Place::Section(file, section) => {
            let text = paths::read(subject.place, file).map_err(|why| format!("{file} {why}"))?;
            let sections = markdown::chosen(&text, Some(section));
            let sections = sections.map_err(|why| format!("{file} {why}"))?;
            Ok(sections
                .iter()
                .flat_map(|section| section.points.clone())
                .collect())
        }
        Place::Result(key) => {
            let value = subject.result.map_or(&Value::Null, |result| &result[*key]);
            Ok(match value {
                Value::String(text) if !text.trim().is_empty() => vec![text.clone()],
                Value::Array(list) => list.iter().map(Value::to_string).collect(),
                _ => Vec::new(),
            })
        }
    }
}
