//! Pages that are lists of a repository: money, audit, settings, workflows, a milestone, and the factory's files.

use ::audit::{Asked, Rigour};
use kernel::Machine;
use kernel::ledger::RUNNING;
use kernel::machine::Activity;
use report::Looked;
use report::attempt::Attempt;
use report::page::live::{self, Live, Tone};
use report::page::machine::{self, Drawn};
use report::page::tables::{self, Cell, Table, cost};
use report::page::ways;
use report::spend::{Spend, dollars};
use std::collections::BTreeMap;
use std::path::Path;
use workspace::config::keys::KEYS;
use workspace::pinned::read_below;
use workspace::{EngineError, Project, config};

fn address(key: &str, run: &str) -> String {
    format!("/r/{key}/run/{run}/")
}

/// A file of the factory's store, which a project's page links to.
pub(super) fn stored(project: &Project, key: &str, rest: &[&str]) -> Result<Live, EngineError> {
    const MOST: u64 = 1 << 20;
    let path = rest.join("/");
    let root = project.home().join("state_store");
    let bytes = read_below(&root, Path::new(&path), MOST).map_err(|_| {
        EngineError::user(
            "no_such_file",
            format!("there is no file {path} in the state store"),
            "go back to the project",
        )
    })?;
    let back = format!("/r/{key}");
    Ok(live::text(&path, &back, &String::from_utf8_lossy(&bytes)))
}

/// Money: by day, by run, by role, by model.
pub(super) fn spend(project: &Project, key: &str) -> Result<Live, EngineError> {
    let (mut whole, mut days, mut runs) = (Spend::default(), BTreeMap::new(), Vec::new());
    let (mut roles, mut models) = (BTreeMap::new(), BTreeMap::new());
    for (name, looked) in report::look::all(project)? {
        let Ok(looked) = looked else { continue };
        let status = looked.status();
        let mut of_run = Spend::default();
        let history = report::history(project, &name)?;
        let copied = history.copied();
        let own = |one: &Attempt| !copied.contains(&one.note.effect);
        for attempt in history.attempts(&status.attempts).into_iter().filter(own) {
            let one = Spend::of(&attempt.note);
            let began = history.began(attempt.note.effect);
            let day = began.map_or_else(String::new, |began| began.at.to_string()[..10].to_owned());
            let model = attempt.model.clone().unwrap_or_default();
            let model = match attempt.agent.as_str() {
                "" if attempt.note.ended == RUNNING => "at work now".to_owned(),
                "" => "not known: the attempt was lost".to_owned(),
                agent => format!("{agent} {model}").trim().to_owned(),
            };
            whole.plus(&one);
            of_run.plus(&one);
            days.entry(day).or_insert_with(Spend::default).plus(&one);
            roles
                .entry(attempt.note.role.clone())
                .or_insert_with(Spend::default)
                .plus(&one);
            models
                .entry(model)
                .or_insert_with(Spend::default)
                .plus(&one);
        }
        runs.push((name, of_run));
    }
    runs.sort_by_key(|(_, spend)| std::cmp::Reverse(spend.usage.micro_dollars));
    let table = |id, title: &str, first, rows: Vec<(Cell, Spend)>| Table {
        id,
        title: title.to_owned(),
        columns: vec![first, "Attempts", "Tokens", "Cost"],
        rows: rows
            .into_iter()
            .map(|(name, spend)| std::iter::once(name).chain(cost(&spend)).collect())
            .collect(),
        none: "Nothing yet.",
    };
    let plain = |map: BTreeMap<String, Spend>| {
        let rows = map.into_iter();
        rows.map(|(name, spend)| (Cell::text(name), spend))
            .collect::<Vec<_>>()
    };
    let mut days = plain(days);
    days.reverse();
    let runs = runs.into_iter();
    let runs = runs.map(|(run, spend)| (Cell::Link(address(key, &run), run), spend));
    let today = workspace::spend::today(project, workspace::clock::now())?;
    let cap = project.config()?.day_micro_dollars();
    let cap = cap.map_or_else(
        || "no cap for a day is set (`day.micro_dollars`)".to_owned(),
        |cap| format!("the day's cap is {}", dollars(cap)),
    );
    let lead = format!("{} today, as journals say it; {cap}.", dollars(today));
    let tables = [
        table("days", "By day", "Day", days),
        table("runs", "By run", "Run", runs.collect()),
        table("roles", "By role", "Role", plain(roles)),
        table("models", "By agent and model", "Agent", plain(models)),
    ];
    let headline = format!("Spent in all: {}", whole.money());
    Ok(tables::page("money", &headline, &lead, &tables))
}

pub(super) fn audited(project: &Project, key: &str) -> Result<Live, EngineError> {
    let asked = Asked {
        run: None,
        rigour: Rigour::Usual,
        span: None,
    };
    let audits = ::audit::audit(project, asked)?;
    let found: usize = audits.iter().map(|one| one.findings.len()).sum();
    let mut rows = Vec::new();
    for one in &audits {
        let link = || Cell::Link(address(key, &one.run), one.run.clone());
        if one.findings.is_empty() {
            let word = Cell::Word(Tone::Good, "clean".to_owned());
            let what = format!(
                "{} records, {} pieces of evidence",
                one.records, one.evidence
            );
            rows.push(vec![link(), word, Cell::text(what)]);
        }
        let found = one.findings.iter().map(|one| (Tone::Bad, one));
        let noted = one.notes.iter().map(|one| (Tone::Unsure, one));
        for (tone, finding) in found.chain(noted) {
            let place = match finding.line {
                0 => String::new(),
                line => format!("line {line}: "),
            };
            let note = match tone {
                Tone::Unsure => "note: ",
                _ => "",
            };
            rows.push(vec![
                link(),
                Cell::Word(tone, finding.code.clone()),
                Cell::text(format!("{note}{place}{}", finding.what)),
            ]);
        }
    }
    let headline = match found {
        0 => "Every journal holds".to_owned(),
        1 => "One finding".to_owned(),
        many => format!("{many} findings"),
    };
    let now = workspace::clock::now();
    let looked = report::page::written(&now.to_string());
    let lead = format!(
        "Every record's hash, every piece of evidence and every commit was looked at again on {looked}. \
         A note is odd, and breaks nothing. This server does it on your machine; `proofhouse audit` does the same \
         on a fresh clone, on a machine where no agent has worked."
    );
    let table = Table {
        id: "findings",
        title: "Run by run".to_owned(),
        columns: vec!["Run", "Found", "What"],
        rows,
        none: "There are no runs.",
    };
    let mut page = tables::page("audit", &headline, &lead, &[table]);
    tables::put_link(&mut page, &format!("?at={}", now.0), "Run it again");
    Ok(page)
}

/// `decides`: the repository's part of addresses, where people may answer on the page.
pub(super) fn settings(project: &Project, decides: Option<&str>) -> Result<Live, EngineError> {
    let held = project.config()?;
    let set = held.iter().map(|(name, value, source)| {
        let value = serde_json::to_string(value).unwrap_or_default();
        vec![
            Cell::Name(name.clone()),
            Cell::Name(value),
            Cell::text(source.to_string()),
        ]
    });
    let unset = KEYS
        .iter()
        .filter(|key| !held.iter().any(|(name, ..)| *name == key.name));
    let unset = unset.map(|key| {
        let value = config::default(key.name);
        let value = value.map_or_else(
            || "-".to_owned(),
            |value| serde_json::to_string(&value).unwrap_or_default(),
        );
        vec![
            Cell::Name(key.name.to_owned()),
            Cell::Name(value),
            Cell::text(key.about),
        ]
    });
    let tables = [
        Table {
            id: "set",
            title: "Set".to_owned(),
            columns: vec!["Setting", "Value", "From"],
            rows: set.collect(),
            none: "Nothing is set; the defaults hold.",
        },
        Table {
            id: "unset",
            title: "Not set".to_owned(),
            columns: vec!["Setting", "Default", "What it is"],
            rows: unset.collect(),
            none: "",
        },
    ];
    let lead = "What holds, and where it comes from. Settings are files: `proofhouse config show --all` prints the same.";
    let mut page = tables::page("settings", "Settings", lead, &tables);
    if let Some(key) = decides {
        let to = format!("/r/{key}/{}", ways::PEOPLE);
        tables::put_link(&mut page, &to, "Who may decide, and your passkey");
    }
    Ok(page)
}

pub(super) fn workflows(project: &Project, key: &str) -> Live {
    let own = project.workflow_names();
    let built_in = flow::built_in_names().map(str::to_owned);
    let built_in: Vec<String> = built_in.filter(|name| !own.contains(name)).collect();
    let rows = own.into_iter().chain(built_in).map(|name| {
        let about = project.workflow(&name);
        let about = about.map_or_else(|error| error.what.clone(), |one| one.about.clone());
        vec![
            Cell::Link(format!("/r/{key}/workflow/{name}"), name),
            Cell::text(about),
        ]
    });
    let table = Table {
        id: "workflows",
        title: "All of them".to_owned(),
        columns: vec!["Workflow", "What it is for"],
        rows: rows.collect(),
        none: "",
    };
    tables::page(
        "workflows",
        "Workflows",
        "Each is data: states, gates and who may move a run.",
        &[table],
    )
}

pub(super) fn workflow(project: &Project, key: &str, name: &str) -> Result<Live, EngineError> {
    let workflow = project.workflow(name)?;
    let mut here: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (run, looked) in report::look::all(project)? {
        if let Ok(Looked::Run(peek)) = looked {
            let status = peek.machine.status();
            let over = matches!(status.activity, Activity::Done | Activity::Stopped);
            if status.workflow == name && !over {
                here.entry(status.state).or_default().push(run);
            }
        }
    }
    let drawn = Drawn {
        table: &workflow.table,
        here,
        been: BTreeMap::new(),
    };
    Ok(machine::page(name, &workflow.about, &drawn, &|run| {
        address(key, run)
    }))
}

pub(super) fn milestone(project: &Project, key: &str, name: &str) -> Result<Live, EngineError> {
    let folder = engine::wave::folder::MilestoneFolder::find(project, Some(name))?;
    let (board, _) = folder.peek()?;
    let report = report::wave::report(project, &folder.milestone, &folder.branch(), &board);
    Ok(report::page::milestone::page(&report, &|run| {
        address(key, run)
    }))
}
