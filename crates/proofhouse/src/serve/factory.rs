//! Pages of a project of the factory beside its own: its tasks, its modules, its spec, what it asks.

use factory::project::ModuleRef;
use kernel::Machine;
use report::module::ModuleReport;
use report::page;
use report::page::act::{Act, What};
use report::page::answer::{About, Answers};
use report::page::live::Live;
use report::posed::Answered;
use report::reviewed::Reviewed;
use report::task::TaskStory;
use serde::Deserialize;
use workspace::{EngineError, Project};

/// The page of something in a project; none: there is no such address.
pub(super) fn page(
    project: &Project,
    (key, run): (&str, &str),
    rest: &[&str],
    (answers, decides): (Answers, bool),
) -> Option<Result<Live, EngineError>> {
    Some(match rest {
        [] => whole(project, (key, run), decides),
        ["task", task] => of_task(project, run, task),
        ["module", module] => of_module(project, run, module, None),
        ["module", module, version] => of_module(project, run, module, Some(version)),
        ["spec"] => of_spec(project, (key, run), answers),
        ["question", id] => of_question(project, (key, run), id, answers),
        _ => return None,
    })
}

/// The project itself, with who works on it.
fn whole(project: &Project, (key, run): (&str, &str), decides: bool) -> Result<Live, EngineError> {
    let shown = engine::factory::page::gather(project, run)?;
    let driven = report::look::is_driven(project, run);
    let now = match driven {
        true => {
            let history = report::history(project, run)?;
            report::now::of(
                project,
                run,
                (&shown.machine.status(), &history),
                report::now::Much::Last,
            )
        }
        // What an engine left in flight that is gone works no more.
        false => Vec::new(),
    };
    let what = What::of(shown.machine.status().activity, driven);
    let what = what.filter(|_| decides);
    let act = what.map(|what| Act {
        repo: key,
        run,
        what,
    });
    Ok(page::project::live(&shown, &now, act.as_ref()))
}

fn none(what: &str, run: &str) -> EngineError {
    EngineError::user(
        "no_such_page",
        format!("`{run}` has no {what}"),
        "go back to the project: it links to all that it has",
    )
}

/// A question that is open; one that was answered leads back.
fn of_question(
    project: &Project,
    (key, run): (&str, &str),
    id: &str,
    answers: Answers,
) -> Result<Live, EngineError> {
    let report::Peek { machine, head } = report::look::peek_project(project, run)?;
    let mut all = report::posed::all(run, &machine).into_iter();
    let posed = all.find(|one| one.question.id == id);
    let Some(posed) = posed else {
        let answered = Answered::of(&machine, id);
        let answered = answered.ok_or_else(|| none(&format!("question `{id}`"), run))?;
        return Ok(page::posed::answered(run, &answered));
    };
    let about = About {
        repo: key,
        run,
        head: &head.hash,
    };
    Ok(page::posed::page(&posed, about, answers))
}

/// The spec as it waits, or as it was approved.
fn of_spec(
    project: &Project,
    (key, run): (&str, &str),
    answers: Answers,
) -> Result<Live, EngineError> {
    let report::Peek { machine, head } = report::look::peek_project(project, run)?;
    let about = About {
        repo: key,
        run,
        head: &head.hash,
    };
    if machine.product().is_none() {
        // It began with a finished one, which is kept under the hash that the journal names.
        let hash = machine.spec().unwrap_or_default().to_owned();
        let bytes = project.vault()?.get(&hash)?;
        let spec = serde_json::from_slice(&bytes).ok();
        let warnings = factory::spec::validate(&bytes).warnings;
        let spec = spec.as_ref().map(|spec| (spec, hash));
        let data = Reviewed::of(run, &machine, spec, &warnings);
        return Ok(page::spec::page(&data, about, answers));
    }
    let review = engine::factory::review(project, run)?;
    let spec = review
        .spec
        .and_then(|spec| Deserialize::deserialize(&spec).ok());
    let hash = review.sha256.unwrap_or_default();
    let spec = spec.as_ref().map(|spec| (spec, hash));
    let data = Reviewed {
        deficiencies: review.deficiencies,
        sources: review.sources,
        further: review.further,
        advice: review.advice,
        ..Reviewed::of(run, &machine, spec, &review.warnings)
    };
    Ok(page::spec::page(&data, about, answers))
}

fn of_task(project: &Project, run: &str, task: &str) -> Result<Live, EngineError> {
    let machine = report::look::peek_project(project, run)?.machine;
    let history = report::history(project, run)?;
    let story = TaskStory::of(run, &machine, history.events(), task);
    let story = story.ok_or_else(|| none(&format!("task `{task}`"), run))?;
    Ok(page::task::page(&story))
}

/// A version, or the newest.
fn of_module(
    project: &Project,
    run: &str,
    module: &str,
    version: Option<&str>,
) -> Result<Live, EngineError> {
    let machine = report::look::peek_project(project, run)?.machine;
    let of_id = machine.registry().iter();
    let mut of_id = of_id.filter(|entry| entry.reference.module.as_str() == module);
    let entry = match version {
        None => of_id.last(),
        Some(version) => {
            let named = ModuleRef::parse(&format!("{module}@{version}")).ok();
            of_id.find(|entry| Some(&entry.reference) == named.as_ref())
        }
    };
    let version = version.map_or_else(String::new, |version| format!("@{version}"));
    let entry = entry.ok_or_else(|| none(&format!("module `{module}{version}`"), run))?;
    let found = engine::factory::page::module(&project.home(), entry);
    let report = ModuleReport::of(project, run, &machine, found);
    Ok(page::module::page(&report))
}
