//! A milestone as a person writes it: a goal, its criteria, the integration gate and the tasks. Pure:
//! texts in, a checked value or an error that names the place. It refuses unknown keys, cycles and
//! names that could not be a run's.

use kernel::duration::parse_millis;
use kernel::{Autonomy, Pace, Refusal, Risk};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The folder's name of a milestone, and a task's name in it.
pub type Name = String;

/// A milestone, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    /// Its folder's name.
    pub name: Name,
    pub goal: String,
    /// What must hold in the end.
    pub criteria: Vec<Criterion>,
    /// Commands that must pass on the tree after each merge.
    pub integration: Vec<String>,
    /// Tasks at once.
    pub jobs: usize,
    /// Failures in one wave after which its tasks go one by one.
    pub sequential_after: u32,
    /// How often a task may be begun anew after a failure or a failed merge.
    pub tries: u32,
    /// How far along the product is that it is a part of.
    pub stage: Option<String>,
    /// The file that says what each stage is made of, below the repository's top.
    pub roadmap: String,
    /// In the order of merging.
    pub tasks: Vec<Task>,
}

/// One exit criterion: `The parser is total (verify: cargo test total)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    /// As written.
    pub text: String,
    /// The command that proves it; none: only a person can judge it.
    pub verify: Option<String>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub slug: Name,
    /// The workflow that it runs.
    #[serde(default = "phase")]
    pub workflow: String,
    /// Tasks that must be merged first.
    #[serde(default)]
    pub depends_on: Vec<Name>,
    /// Its task folder in the tree, relative to the repository's top; empty: it stays out of the tree.
    #[serde(default)]
    pub dir: String,
    /// What is asked for, in a sentence; its folder and fields follow from it.
    #[serde(default)]
    pub asks: Option<String>,
    /// Fields of its state file.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Its validation commands.
    #[serde(default)]
    pub checks: Vec<String>,
    /// Who works.
    #[serde(default)]
    pub agent: Option<String>,
    /// The rung.
    #[serde(default)]
    pub autonomy: Autonomy,
    /// The declared risk.
    #[serde(default)]
    pub risk: Risk,
    /// Stepped or flowing.
    #[serde(default)]
    pub pace: Pace,
    /// Caps by budget name.
    #[serde(default)]
    pub budgets: BTreeMap<String, u64>,
    /// How long one claim of it lasts.
    #[serde(default)]
    pub timeout: Option<String>,
    #[serde(skip)]
    timeout_millis: u64,
}

impl Task {
    /// How long one claim of it lasts, in milliseconds.
    pub fn timeout_millis(&self) -> u64 {
        self.timeout_millis
    }
}

fn phase() -> String {
    "phase".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    goal: String,
    #[serde(default)]
    criteria: Vec<String>,
    #[serde(default)]
    integration: Vec<String>,
    #[serde(default)]
    jobs: Option<usize>,
    #[serde(default)]
    sequential_after: Option<u32>,
    #[serde(default)]
    tries: Option<u32>,
    #[serde(default)]
    timeout: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    stage: Option<String>,
    #[serde(default)]
    roadmap: Option<String>,
    #[serde(default)]
    task: Vec<Task>,
}

const JOBS: usize = 4;
const SEQUENTIAL_AFTER: u32 = 3;
const TRIES: u32 = 2;
const TIMEOUT: &str = "4h";
const ROADMAP: &str = "ROADMAP.md";
const STAGES: [&str; 4] = ["prototype", "poc", "mvp", "production"];

impl Milestone {
    /// Reads the text of a `milestone.toml`; `configured` are the repository's own commands.
    pub fn parse(name: &str, text: &str, configured: &[String]) -> Result<Self, Refusal> {
        let bad = |what: String, mend: &str| {
            Refusal::new(
                "milestone_malformed",
                format!("milestone `{name}`: {what}"),
                mend,
            )
        };
        let raw: Raw = toml::from_str(text).map_err(|error| {
            bad(
                error.to_string().trim().to_owned(),
                "correct milestone.toml; docs/waves.md lists every key",
            )
        })?;
        let integration = if raw.integration.is_empty() {
            configured.to_vec()
        } else {
            raw.integration
        };
        let milestone = Self {
            name: name.to_owned(),
            goal: raw.goal,
            criteria: raw.criteria.into_iter().map(criterion).collect(),
            integration,
            jobs: raw.jobs.unwrap_or(JOBS),
            sequential_after: raw.sequential_after.unwrap_or(SEQUENTIAL_AFTER),
            tries: raw.tries.unwrap_or(TRIES),
            stage: raw.stage,
            roadmap: raw.roadmap.unwrap_or_else(|| ROADMAP.to_owned()),
            tasks: raw
                .task
                .into_iter()
                .map(|mut task| {
                    task.agent = task.agent.or_else(|| raw.agent.clone());
                    let timeout = task.timeout.as_deref().or(raw.timeout.as_deref());
                    let timeout = timeout.unwrap_or(TIMEOUT);
                    task.timeout_millis = parse_millis(timeout).ok_or_else(|| {
                        bad(
                            format!("task `{}`: `{timeout}` is no time", task.slug),
                            "write it as `90s`, `20m` or `2h`",
                        )
                    })?;
                    Ok(task)
                })
                .collect::<Result<_, Refusal>>()?,
        };
        milestone.check().map_err(|(what, mend)| bad(what, &mend))?;
        Ok(milestone)
    }

    fn check(&self) -> Result<(), (String, String)> {
        let no = |what: String, mend: &str| Err((what, mend.to_owned()));
        if self.tasks.is_empty() {
            return no(
                "it has no task".to_owned(),
                "add a `[[task]]` with a `slug`",
            );
        }
        if self.integration.is_empty() {
            return no(
                "no command proves a merged tree".to_owned(),
                "set `integration = [\"...\"]` there, or `[checks] commands` in .proofhouse/config.toml",
            );
        }
        if self.jobs == 0 || self.tries == 0 {
            return no("`jobs` and `tries` are at least 1".to_owned(), "raise it");
        }
        if let Some(stage) = &self.stage
            && !STAGES.contains(&stage.as_str())
        {
            let mend = format!("write one of {}", STAGES.join(", "));
            return no(format!("`{stage}` is no stage"), &mend);
        }
        let mut parts = Path::new(&self.roadmap).components();
        if self.roadmap.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
            return no(
                format!("`roadmap = \"{}\"` leads out", self.roadmap),
                "name a file below the repository's top",
            );
        }
        let mut known = BTreeSet::new();
        for task in &self.tasks {
            let slug = &task.slug;
            if !can_name_a_run(&run_name(&self.name, slug, 99)) || slug.contains('.') {
                return no(
                    format!("`{slug}` cannot be a task's name here"),
                    "use a-z, 0-9, `_` and `-`; together with the milestone's name at most 60 characters",
                );
            }
            if !known.insert(slug) {
                return no(format!("two tasks are called `{slug}`"), "rename one");
            }
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            if !Path::new(&task.dir).components().all(inside) {
                return no(
                    format!("task `{slug}`: `dir = \"{}\"` leads out", task.dir),
                    "name a folder below the repository's top",
                );
            }
        }
        for task in &self.tasks {
            if let Some(missing) = task.depends_on.iter().find(|other| !known.contains(other)) {
                return no(
                    format!(
                        "task `{}` depends on `{missing}`, which is no task",
                        task.slug
                    ),
                    "add it, or take it out of `depends_on`",
                );
            }
        }
        match self.cycle() {
            Some(slug) => no(
                format!("task `{slug}` depends on itself, by way of others"),
                "take one step out of the circle of `depends_on`",
            ),
            None => Ok(()),
        }
    }

    /// A task that can never be ready.
    fn cycle(&self) -> Option<&str> {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        loop {
            let before = done.len();
            for task in &self.tasks {
                if task
                    .depends_on
                    .iter()
                    .all(|other| done.contains(other.as_str()))
                {
                    done.insert(&task.slug);
                }
            }
            if done.len() == before {
                let stuck = self
                    .tasks
                    .iter()
                    .find(|task| !done.contains(task.slug.as_str()));
                return stuck.map(|task| task.slug.as_str());
            }
        }
    }

    /// The task of this name.
    pub fn task(&self, slug: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.slug == slug)
    }

    /// The criterion of this text, or of this number from 1.
    pub fn criterion(&self, which: &str) -> Option<&Criterion> {
        let which = which.trim();
        let number = which.parse::<usize>().ok();
        let numbered = number.and_then(|number| self.criteria.get(number.checked_sub(1)?));
        let mut all = self.criteria.iter();
        numbered.or_else(|| all.find(|one| one.text.trim() == which))
    }

    /// Refuses a milestone of a stage that no roadmap plans: in its text a heading names the stage,
    /// and the milestone stands below.
    pub fn on_roadmap(&self, text: Option<&str>) -> Result<(), Refusal> {
        let Some(stage) = &self.stage else {
            return Ok(());
        };
        let mut level = None;
        let planned = text.unwrap_or_default().lines().any(|line| {
            let line = line.to_lowercase();
            let depth = line.chars().take_while(|each| *each == '#').count();
            if depth > 0 {
                if line.contains(stage.as_str()) {
                    level = Some(depth);
                } else if level.is_some_and(|level| depth <= level) {
                    level = None;
                }
            }
            level.is_some() && names(&line, &self.name)
        });
        if planned {
            return Ok(());
        }
        Err(Refusal::new(
            "stage_no_roadmap",
            format!(
                "milestone `{}` is of the stage `{stage}`, and {} does not plan it",
                self.name, self.roadmap
            ),
            format!(
                "write a heading with `{stage}` there and name `{}` below it, or take `stage` out of milestone.toml",
                self.name
            ),
        ))
    }

    /// Criteria that only a person can judge.
    pub fn unproven(&self) -> Vec<&str> {
        let open = self.criteria.iter().filter(|one| one.verify.is_none());
        open.map(|one| one.text.as_str()).collect()
    }
}

/// The form of a run's name; the store refuses any other.
fn can_name_a_run(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 64
        && name.bytes().next().is_some_and(plain)
        && name
            .bytes()
            .all(|byte| plain(byte) || b"._-".contains(&byte))
}

/// The name of a task's run: its first try has no number.
pub fn run_name(milestone: &str, slug: &str, nth: u32) -> String {
    match nth {
        0 | 1 => format!("{milestone}-{slug}"),
        nth => format!("{milestone}-{slug}-{nth}"),
    }
}

/// Does the line hold this name as a word of its own?
fn names(line: &str, name: &str) -> bool {
    let part = |each: char| each.is_alphanumeric() || each == '-' || each == '_';
    line.split(|each: char| !part(each))
        .any(|word| word == name)
}

fn criterion(text: String) -> Criterion {
    let verify = text.rfind("(verify:").and_then(|at| {
        let rest = text[at + "(verify:".len()..].trim_end();
        let command = rest.strip_suffix(')')?.trim();
        (!command.is_empty()).then(|| command.to_owned())
    });
    Criterion { text, verify }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Milestone, Refusal> {
        Milestone::parse("m", text, &[])
    }

    #[test]
    fn reads_tasks_with_their_defaults() {
        let text = "goal = 'g'\nintegration = ['true']\ncriteria = ['It works (verify: sh -c (true))', 'It is nice']\ntimeout = '5m'\nagent = 'scripted:s'\n[[task]]\nslug = 'a'\n[[task]]\nslug = 'b'\ndepends_on = ['a']\ntimeout = '1h'\n";
        let milestone = parse(text).unwrap();
        assert_eq!(
            milestone.criteria[0].verify.as_deref(),
            Some("sh -c (true)")
        );
        assert_eq!(milestone.unproven(), ["It is nice"]);
        let [a, b] = milestone.tasks.as_slice() else {
            panic!("two tasks")
        };
        assert_eq!((a.dir.as_str(), a.timeout_millis()), ("", 300_000));
        assert_eq!(b.timeout_millis(), 3_600_000);
        assert_eq!(b.agent.as_deref(), Some("scripted:s"));
        assert_eq!(run_name("m", "a", 1), "m-a");
        assert_eq!(run_name("m", "a", 2), "m-a-2");
    }

    #[test]
    fn a_stage_needs_a_roadmap_that_plans_the_milestone() {
        let text = "goal = 'g'\nintegration = ['true']\nstage = 'mvp'\n[[task]]\nslug = 'a'\n";
        let milestone = parse(text).unwrap();
        assert_eq!(milestone.roadmap, "ROADMAP.md");
        for (roadmap, planned) in [
            (None, false),
            (Some(""), false),
            (Some("# MVP\n- the milestone m\n"), true),
            (Some("# Plan\n## mvp\n### First\n- `m`: parse\n"), true),
            (Some("# mvp\n- more\n"), false),
            (Some("# poc\n- m\n# mvp\n- later\n"), false),
            (Some("# mvp\n- later\n# poc\n- m\n"), false),
        ] {
            let judged = milestone.on_roadmap(roadmap);
            assert_eq!(judged.is_ok(), planned, "{roadmap:?}");
            if let Err(error) = judged {
                assert_eq!(error.code, "stage_no_roadmap");
            }
        }
        let free = parse(&text.replace("stage = 'mvp'\n", "")).unwrap();
        assert!(free.on_roadmap(None).is_ok());
    }

    #[test]
    fn every_fault_is_named() {
        let head = "goal = 'g'\nintegration = ['true']\n";
        for (text, says) in [
            ("", "goal"),
            ("goal = 'g'\n[[task]]\nslug = 'a'\n", "no command proves"),
            (head, "no task"),
            (&format!("{head}surprise = 1\n"), "surprise"),
            (
                &format!("{head}[[task]]\nslug = 'a'\nsurprise = 1\n"),
                "surprise",
            ),
            (&format!("{head}[[task]]\nslug = 'A b'\n"), "`A b`"),
            (
                &format!("{head}stage = 'beta'\n[[task]]\nslug = 'a'\n"),
                "`beta` is no stage",
            ),
            (
                &format!("{head}roadmap = '../R.md'\n[[task]]\nslug = 'a'\n"),
                "leads out",
            ),
            (
                &format!("{head}[[task]]\nslug = 'a'\n[[task]]\nslug = 'a'\n"),
                "two tasks",
            ),
            (
                &format!("{head}[[task]]\nslug = 'a'\ndepends_on = ['z']\n"),
                "`z`",
            ),
            (
                &format!("{head}[[task]]\nslug = 'a'\ndir = '../a'\n"),
                "leads out",
            ),
            (
                &format!("{head}[[task]]\nslug = 'a'\ntimeout = 'soon'\n"),
                "`soon`",
            ),
            (
                &format!(
                    "{head}[[task]]\nslug = 'a'\ndepends_on = ['b']\n[[task]]\nslug = 'b'\ndepends_on = ['a']\n"
                ),
                "depends on itself",
            ),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.code, "milestone_malformed");
            assert!(error.what.contains(says), "{says}: {}", error.what);
            assert!(!error.mend.is_empty());
        }
    }
}
