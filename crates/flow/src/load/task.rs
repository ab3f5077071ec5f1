//! The task folder of a workflow file: its files, and the fields of its state file.

use super::Loader;
use crate::error::Problem;
use crate::raw::{RawTask, RawWorkflow};
use crate::workflow::{Fact, Field, Leaving, Owner, Task};
use kernel::StateName;
use std::collections::BTreeMap;

pub(super) fn task_of(loader: &mut Loader<'_>, raw: &RawTask, workflow: &RawWorkflow) -> Task {
    let mut files = BTreeMap::new();
    for file in &raw.files {
        loader.own_path(file.span().start, "files", file.get_ref());
        let text = loader.file(file.span().start, &format!("task/{}", file.get_ref()));
        files.insert(file.get_ref().clone(), text);
    }
    let mut fields: Vec<Field> = Vec::new();
    for field in &raw.field {
        let (at, field) = (field.span().start, field.get_ref());
        let owner = match &field.engine {
            None => Owner::Author,
            Some(text) => match fact(text, workflow) {
                Some(fact) => Owner::Engine(fact),
                None => {
                    loader.problem(
                        "unknown_fact",
                        at,
                        format!("field `{}`: the engine knows no `{text}`", field.name),
                        "use state, status, updated, evidence_link, run, created, autonomy, risk, visited STATE, gate STATE, gate STATE after STATE, frozen STATE by ACTION, left STATE (by, because) or clear STATE CODE",
                    );
                    Owner::Author
                }
            },
        };
        for state in field.written_in.iter().flatten() {
            if !workflow.state.contains_key(state) {
                let what = format!(
                    "field `{}` is written in `{state}`, which is no state",
                    field.name
                );
                loader.problem(
                    "unknown_state",
                    at,
                    what,
                    "add [state.NAME], or correct the name",
                );
            }
        }
        fields.push(Field {
            name: field.name.clone(),
            owner,
            about: field.about.clone().unwrap_or_default(),
            default: String::new(),
            written_in: field
                .written_in
                .as_ref()
                .map(|states| states.iter().map(StateName::new).collect()),
            refuse: field.refuse.clone(),
            words: field.words.clone(),
            given: field.given.clone(),
        });
    }
    if !fields.iter().any(|field| field.name == raw.phase_field) {
        let what = format!(
            "`phase_field` names `{}`, which is no field",
            raw.phase_field
        );
        loader.problem(
            "unknown_field",
            0,
            what,
            "name one of the [[task.field]] entries",
        );
    }
    if let Some(request) = &raw.request
        && !fields
            .iter()
            .any(|field| field.name == *request && field.owner == Owner::Author)
    {
        let what = format!("`request` names `{request}`, which is no field that a person writes");
        loader.problem(
            "unknown_field",
            0,
            what,
            "name a [[task.field]] entry without `engine`",
        );
    }
    let promise: Vec<String> = match raw.promise.list().as_slice() {
        [] => raw.request.iter().cloned().collect(),
        named => named.iter().map(|name| (*name).to_owned()).collect(),
    };
    let decides: Vec<String> = raw.decides.list().into_iter().map(str::to_owned).collect();
    let promised = promise.iter().map(|name| ("promise", name));
    let named = promised.chain(decides.iter().map(|name| ("decides", name)));
    for (key, name) in named {
        if !fields.iter().any(|field| field.name == *name) {
            let what = format!("`{key}` names `{name}`, which is no field");
            let mend = "name some of the [[task.field]] entries";
            loader.problem("unknown_field", 0, what, mend);
        }
    }
    let mut needs = BTreeMap::new();
    for need in &raw.needs {
        loader.own_path(need.file.span().start, "needs", need.file.get_ref());
        let text = loader.file(need.file.span().start, &need.template);
        needs.insert(need.file.get_ref().clone(), text);
    }
    let paths = [
        ("folder", &raw.folder),
        ("log", &raw.log),
        ("patch", &raw.patch),
        ("record", &raw.record),
        ("evidence_page", &raw.evidence_page),
    ];
    for (key, path) in paths {
        if let Some(path) = path {
            loader.own_path(0, key, path);
        }
    }
    for folder in &raw.folders {
        loader.own_path(0, "folders", folder);
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    match files.get(&raw.state_file) {
        None => {
            let what = format!(
                "`state_file` names `{}`, which is not in `files`",
                raw.state_file
            );
            loader.problem("missing_file", 0, what, "add it to `files`");
        }
        Some(text) => match crate::document::parse_fields(text, &names) {
            Ok(values) => {
                for field in &mut fields {
                    field.default = values.get(&field.name).cloned().unwrap_or_default();
                }
            }
            Err(error) => loader.problems.push(Problem {
                code: "malformed_state_file",
                file: format!("task/{}", raw.state_file),
                line: 0,
                what: error.to_string(),
                mend: "every [[task.field]] needs its line in the state file".to_owned(),
            }),
        },
    }
    Task {
        state_file: raw.state_file.clone(),
        phase_field: raw.phase_field.clone(),
        files,
        folders: raw.folders.clone(),
        evidence_page: raw.evidence_page.clone(),
        fields,
        folder: raw.folder.clone(),
        request: raw.request.clone(),
        request_says: raw.request_says.clone(),
        promise,
        decides,
        log: raw.log.clone(),
        patch: raw.patch.clone(),
        record: raw.record.clone(),
        needs,
    }
}

fn fact(text: &str, workflow: &RawWorkflow) -> Option<Fact> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let state = |name: &str| {
        workflow
            .state
            .contains_key(name)
            .then(|| StateName::from(name))
    };
    match words.as_slice() {
        ["state"] => Some(Fact::State),
        ["status"] => Some(Fact::Status),
        ["updated"] => Some(Fact::Updated),
        ["evidence_link"] => Some(Fact::EvidenceLink),
        ["visited", name] => Some(Fact::Visited(state(name)?)),
        ["gate", name] => Some(Fact::Gate(state(name)?)),
        ["gate", name, "after", other] => Some(Fact::GateAfter(state(name)?, state(other)?)),
        ["run"] => Some(Fact::Run),
        ["created"] => Some(Fact::Created),
        ["opened"] => Some(Fact::Opened),
        ["autonomy"] => Some(Fact::Autonomy),
        ["risk"] => Some(Fact::Risk),
        ["frozen", name, "by", action] => {
            let known = workflow.transition.iter();
            let mut known = known.map(|way| way.get_ref().action.as_str());
            known.any(|name| name == *action).then_some(())?;
            Some(Fact::FrozenBy(state(name)?, (*action).to_owned()))
        }
        ["clear", name, code] => Some(Fact::Clear(state(name)?, (*code).to_owned())),
        ["left", names @ .., "by"] => Some(Fact::Left(all(names, state)?, Leaving::By)),
        ["left", names @ .., "because"] => Some(Fact::Left(all(names, state)?, Leaving::Because)),
        ["left", names @ ..] => Some(Fact::Left(all(names, state)?, Leaving::How)),
        _ => None,
    }
}

/// All of the named states; none if one does not exist, or there is none.
fn all(names: &[&str], state: impl Fn(&str) -> Option<StateName>) -> Option<Vec<StateName>> {
    let states: Option<Vec<StateName>> = names.iter().map(|name| state(name)).collect();
    states.filter(|states| !states.is_empty())
}
