//! One attempt: lay out the view, let the agent work, judge what it left, take it back.

use super::{lost, replaced, save, unfinished};
use agents::{Agent, Order, Reply};
use flow::{Owner, Paper, parse_fields};
use kernel::effect::{Access, AttemptOrder, Capability};
use kernel::outcome::EvidenceRef;
use kernel::outcome::Found;
use kernel::{Class, EffectId, Outcome, StateName, What};
use sandbox::Cancel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use workspace::context::Context;
use workspace::error::EngineError;
use workspace::view::sight::Globs;
use workspace::view::{self, Base, Change, Root};

const ANSWER: &str = "answer.json";
/// What the agent had cost, should its answer never make it to disk.
const COST: &str = "cost.json";
/// More than this the journal does not list; a revert of such an attempt is refused.
const MOST_PATHS: usize = 5_000;

/// What is on disk before the machine hears of it.
#[derive(Serialize, Deserialize)]
struct Answer {
    outcome: Outcome,
    changes: Vec<Change>,
}

pub(super) fn perform(
    context: &Context,
    order: &AttemptOrder,
    cancel: &Cancel,
    progress: &dyn Fn(&str),
) -> Result<What, EngineError> {
    let home = context.home(order.id);
    let worked = (|| {
        let today = workspace::spend::left_of_the_day(&context.project, workspace::clock::now())?;
        let globs = Globs::of(&order.sight, &context.hidden)?;
        let base = match order.continues {
            Some(earlier) => view::go_on(context, earlier, &home, &globs)?,
            None => view::lay_out(context, &home, &globs)?,
        };
        super::papers::lay(context, order, &home, &globs)?;
        if let (None, Some((earlier, _))) = (order.continues, session(context, order)?) {
            view::bring_session(context, earlier, &home);
        }
        let mut told = told(context, order, &home)?;
        let allowance = &mut told.order.allowance;
        allowance.micro_dollars = allowance.micro_dollars.min(today);
        let reply = agent(context, order)?.run(&told.order, cancel, progress);
        Ok((reply, told, base))
    })();
    let (reply, told, base) = match worked {
        Ok(worked) => worked,
        Err(error) => return Ok(ended(order.id, could_not_run(&error), Found::Live)),
    };
    // One that had ended before it was cancelled is paid for, and counts.
    if cancel.is_cancelled() && reply.class != Class::Done {
        let why = unfinished::told(context, order.id, order.state.as_str(), "it was cancelled");
        return Ok(lost(order.id, &why, reply.usage));
    }
    // As far as the disk still takes it: `finish` says what it does not.
    let _ = save(&home, COST, &reply.usage);
    let outcome = finish(context, order, &told, &base, reply).map_err(kept)?;
    if outcome.class == Class::Done {
        unfinished::is_over(context, order.state.as_str());
    }
    Ok(ended(order.id, outcome, Found::Live))
}

pub(super) fn recover(
    context: &Context,
    order: &AttemptOrder,
) -> Result<Option<What>, EngineError> {
    let home = context.home(order.id);
    if saved(&home).is_none()
        && let Some(base) = view::base_of(&home)
    {
        let told = told(context, order, &home)?;
        if let Some(mut reply) = agent(context, order)?.recover(&told.order) {
            // Whoever saw its connections died with the engine that started it.
            reply.unrecorded = Some("the engine ended before the attempt did".to_owned());
            let outcome = finish(context, order, &told, &base, reply).map_err(kept)?;
            return Ok(Some(ended(order.id, outcome, Found::AfterRestart)));
        }
    }
    left_behind(context, order.id)
}

/// What an attempt left on disk, found by its id alone: also one that nobody wants any more was
/// paid for, and its changes may be in the user's tree.
pub(super) fn left_behind(context: &Context, id: EffectId) -> Result<Option<What>, EngineError> {
    let home = context.home(id);
    if let Some(answer) = saved(&home) {
        let outcome = recovered(context, &home, answer).map_err(kept)?;
        return Ok(Some(ended(id, outcome, Found::AfterRestart)));
    }
    let paid = std::fs::read(home.join(COST)).ok();
    let paid = paid.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let why = "the engine failed after the agent had worked, and its answer is gone";
    Ok(paid.map(|usage| lost(id, why, usage)))
}

fn saved(home: &Path) -> Option<Answer> {
    let bytes = std::fs::read(home.join(ANSWER)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// What was taken back of an attempt that had ended.
pub(super) fn taken_back(home: &Path) -> Option<Vec<Change>> {
    saved(home).map(|answer| answer.changes)
}

/// The agent has worked and the engine's own disk failed it. That is no answer: a machine that
/// heard one would pay for the work again. The attempt stays in flight, and the next session goes
/// on from what is on disk.
fn kept(mut error: EngineError) -> EngineError {
    error.mend = format!(
        "{}; the agent's finished work is kept: `proofhouse run` goes on with taking it back",
        error.mend
    );
    error
}

/// Takes a saved answer back, unless somebody has changed the same files since the engine died.
fn recovered(context: &Context, home: &Path, answer: Answer) -> Result<Outcome, EngineError> {
    let Answer {
        mut outcome,
        changes,
    } = answer;
    view::sweep(context, &changes);
    if let Some(path) = view::conflict(context, &changes)? {
        outcome.class = Class::Conflict;
        outcome.reason = format!(
            "{path} was changed by somebody else before the engine came back; nothing was taken back"
        );
        outcome.tree_after.clone_from(&outcome.tree_before);
        return Ok(outcome);
    }
    view::take_back(context, home, &changes)?;
    Ok(outcome)
}

fn ended(effect: EffectId, outcome: Outcome, found: Found) -> What {
    What::AttemptEnded {
        effect,
        outcome: Box::new(outcome),
        found,
    }
}

fn could_not_run(error: &EngineError) -> Outcome {
    Outcome::bare(Class::CouldNotRun, format!("{error}; {}", error.mend))
}

fn agent<'a>(context: &'a Context, order: &AttemptOrder) -> Result<&'a dyn Agent, EngineError> {
    let agent = context.agents.get(&order.role).map(|agent| &**agent);
    agent.ok_or_else(|| {
        let what = format!("no agent is set for the role `{}`", order.role);
        EngineError::user("no_agent", what, "set `agent` in .proofhouse/config.toml")
    })
}

/// The earlier attempt whose session this one goes on in, and its name, where the agent may.
fn session(
    context: &Context,
    order: &AttemptOrder,
) -> Result<Option<(EffectId, String)>, EngineError> {
    let Some(earlier) = order.session else {
        return Ok(None);
    };
    if !agent(context, order)?.resumes() {
        return Ok(None);
    }
    let left = saved(&context.home(earlier)).and_then(|answer| answer.outcome.session);
    Ok(left.map(|session| (earlier, session)))
}

/// What an agent is told.
struct Told {
    order: Order,
    /// The session that it goes on in.
    resumed: Option<String>,
}

fn told(context: &Context, order: &AttemptOrder, home: &Path) -> Result<Told, EngineError> {
    let reached = view::reached(context, home, &can(context, order))?;
    let mut told = Order {
        run: context.run.clone(),
        effect: order.id.0,
        state: order.state.to_string(),
        role: order.role.clone(),
        can: can(context, order),
        access: order.access,
        nth: order.nth,
        view: home.join("view"),
        home: home.to_owned(),
        brief: order.brief.clone(),
        wall: Duration::from_millis(order.wall_millis),
        allowance: order.allowance,
        env: reached.env,
        policy: Some(reached.policy),
        shape: context.shape(&order.role, order.state.as_str()),
        continues: session(context, order)?.map(|(_, session)| session),
    };
    if home.join("view").join(view::PAST).is_dir() {
        told.brief = format!("{}\n\n{}\n", told.brief.trim_end(), view::PAST_TOLD);
    }
    let goes_on = agent(context, order)?.goes_on(&told);
    if let (true, Some(again)) = (goes_on, &order.again) {
        told.brief.clone_from(again);
    }
    Ok(Told {
        resumed: told.continues.clone().filter(|_| goes_on),
        order: told,
    })
}

/// What the role may do; one that nobody describes may do nothing.
fn can(context: &Context, order: &AttemptOrder) -> BTreeSet<Capability> {
    let role = context.workflow.roles.get(&order.role);
    let can = role.into_iter().flat_map(|role| role.can.iter().copied());
    can.collect()
}

/// From the agent's reply to the outcome: the same for a live reply and a recovered one.
fn finish(
    context: &Context,
    order: &AttemptOrder,
    told: &Told,
    base: &Base,
    reply: Reply,
) -> Result<Outcome, EngineError> {
    let home = &told.order.home;
    let mut outcome = Outcome::bare(reply.class, reply.reason.clone());
    outcome.usage = reply.usage;
    outcome.session = reply.session.clone();
    // For people alone, so without the name of a folder that some agents give theirs.
    outcome.resumed = told.resumed.as_deref().map(|id| context.kept_text(id));
    outcome.model.clone_from(&reply.model);
    outcome.denied.clone_from(&reply.denied);
    outcome.unrecorded.clone_from(&reply.unrecorded);
    outcome.retry_after_millis = reply
        .retry_after
        .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    let worked = agent(context, order)?;
    outcome.agent = worked.name().to_owned();
    // Whoever could not begin was nowhere.
    outcome.unconfined = !worked.is_confined() && reply.class != Class::CouldNotRun;
    outcome.evidence = evidence(context, order, &told.order.brief, &reply)?;
    if let Some(paper) = paper(context, order) {
        let sealed = reply
            .result
            .as_ref()
            .and_then(|all| all.get(paper.member()));
        outcome.reason = match reply.class {
            Class::Done if sealed.is_some() => "what was handed in is under seal".to_owned(),
            // What is wrong may be told with the value that it is wrong of.
            Class::InvalidResult => places_alone(&outcome.reason),
            _ => outcome.reason,
        };
    }
    outcome.tree_before = base.repo.hash();
    outcome.tree_after = outcome.tree_before.clone();
    // Before anything of ours walks there: an agent may have put a link in a folder's place.
    if let Some(part) = view::replaced(home) {
        outcome.class = Class::OutOfScope;
        outcome.reason =
            format!("the agent replaced its own folder `{part}`; nothing was taken back");
        return answered(context, home, outcome, &[]);
    }
    // What cannot be walked is the agent's doing, and an answer: another try may do better.
    let seen = view::take_secrets_out(context, home, base)
        .and_then(|()| view::changes(context, home, base))
        .and_then(|seen| match reply.class == Class::Done {
            true if view::as_git_hands_out(context, home, &seen.0)? => {
                view::changes(context, home, base)
            }
            _ => Ok(seen),
        });
    let (changes, tree_after) = match seen {
        Ok(seen) => seen,
        Err(error) => {
            let failed = could_not_run(&error);
            (outcome.class, outcome.reason) = (failed.class, failed.reason);
            if view::is_the_agents(&error) {
                outcome.class = Class::OutOfScope;
            }
            return answered(context, home, outcome, &[]);
        }
    };
    outcome.changed = names(&changes);
    let changes = if outcome.class == Class::Done {
        outcome.result = reply.result;
        match judge(context, order, home, &changes, &mut outcome) {
            Ok(()) => {
                outcome.tree_after = tree_after;
                seal(context, order, &mut outcome);
                changes
            }
            Err((class, reason)) => {
                (outcome.class, outcome.reason) = (class, reason);
                outcome.request = None;
                Vec::new()
            }
        }
    } else {
        Vec::new()
    };
    outcome.kept = unfinished::of_failed(context, order, outcome.class, outcome.code.as_deref());
    if let Some(path) = view::conflict(context, &changes)? {
        outcome.class = Class::Conflict;
        outcome.reason = format!(
            "{path} was changed by somebody else while the agent worked; nothing was taken back"
        );
        outcome.kept =
            unfinished::of_failed(context, order, outcome.class, outcome.code.as_deref());
        outcome.tree_after = outcome.tree_before.clone();
        return answered(context, home, outcome, &[]);
    }
    if outcome.class == Class::Done {
        // The vault has what is replaced in any case: what cannot be kept here stops nothing.
        let kept = replaced::keep(context, order.id, &changes, &taken_back);
        outcome.kept = kept.ok().flatten();
    }
    answered(context, home, outcome, &changes)
}

/// What the role hands in for the engine alone.
fn paper(context: &Context, order: &AttemptOrder) -> Option<Paper> {
    context.workflow.roles.get(&order.role)?.hands_in
}

/// Leaves of a result under seal what the machine needs to know: its hash, and whether the role objects
/// or cannot. Every other word of it would be read by somebody. Where nothing is handed in there is nothing to
/// hide, and a person has to hear why.
fn seal(context: &Context, order: &AttemptOrder, outcome: &mut Outcome) {
    let Some(paper) = paper(context, order) else {
        return;
    };
    let Some(whole) = outcome.result.take() else {
        return;
    };
    let mut left = serde_json::Map::new();
    if whole.get(paper.member()).is_some() {
        let summary = format!("the {} is handed in, under seal", paper.member());
        left.insert("summary".to_owned(), summary.into());
        let named = |kept: &&EvidenceRef| kept.sealed && kept.name.ends_with(RESULT);
        let hash = outcome.evidence.iter().find(named);
        left.extend(hash.map(|kept| ("sealed".to_owned(), kept.hash.clone().into())));
    } else {
        let said = whole.get("summary").cloned();
        left.extend(said.map(|said| ("summary".to_owned(), said)));
    }
    for member in ["verdict", "next", "impossible"] {
        let kept = whole.get(member).cloned();
        left.extend(kept.map(|kept| (member.to_owned(), kept)));
    }
    outcome.result = Some(left.into());
}

/// What is wrong with a result: its places, and what the schema says of each, without any value that was
/// handed in.
fn places_alone(faults: &str) -> String {
    /// How a schema's own words begin, behind the value that they are about.
    const SCHEMA: [&str; 7] = [
        "is missing",
        "is not of type",
        "is not one of ",
        "has less than ",
        "has more than ",
        "is shorter than ",
        "is longer than ",
    ];
    let pointer = |word: &&str| {
        let plain = |one: char| one.is_ascii_alphanumeric() || "/_".contains(one);
        word.starts_with('/') && word.chars().all(plain)
    };
    let parts: Vec<&str> = faults.split('`').collect();
    let mut places = Vec::new();
    for (at, place) in parts.iter().enumerate().filter(|(_, part)| pointer(part)) {
        let after = parts.get(at + 1).copied().unwrap_or_default();
        let after = after.split([';', '\n']).next().unwrap_or_default();
        // The last: a value may hold the same words.
        let says = SCHEMA.iter().filter_map(|words| after.rfind(words)).max();
        let says = says.map_or_else(String::new, |from| format!(" {}", after[from..].trim_end()));
        places.push(format!("{place}{says}"));
    }
    match places.is_empty() {
        true => "the result is not the JSON object that its schema asks for".to_owned(),
        false => format!("not as the schema asks for: {}", places.join(", ")),
    }
}

/// How the evidence is named that holds a result.
const RESULT: &str = "result";

/// Puts the answer on disk, then takes the changes back: after a crash the answer is found there.
fn answered(
    context: &Context,
    home: &Path,
    mut outcome: Outcome,
    changes: &[Change],
) -> Result<Outcome, EngineError> {
    take_secrets_out(context, &mut outcome);
    let answer = Answer {
        outcome: outcome.clone(),
        changes: changes.to_vec(),
    };
    save(home, ANSWER, &answer)?;
    view::take_back(context, home, changes)?;
    Ok(outcome)
}

/// No key and no name of a person's folder goes into the journal, whatever the agent has written.
fn take_secrets_out(context: &Context, outcome: &mut Outcome) {
    let secrets = &context.secrets;
    outcome.reason = context.kept_text(&outcome.reason);
    let result = outcome.result.take();
    outcome.result = result.map(|result| context.places.json(secrets.json(result)));
    for value in outcome.fields.values_mut() {
        *value = context.kept_text(value);
    }
    // What was taken back has no key in its name, so that a revert finds every path.
    for text in outcome.denied.iter_mut().chain(&mut outcome.changed) {
        *text = context.kept_text(text);
    }
    // A name with a hole in it leads to no session.
    outcome.session = outcome
        .session
        .take()
        .filter(|session| secrets.text(session) == *session);
}

fn evidence(
    context: &Context,
    order: &AttemptOrder,
    brief: &str,
    reply: &Reply,
) -> Result<Vec<EvidenceRef>, EngineError> {
    // What nobody may see is all that the role said, and not what it was told.
    let keep = |name: &str, bytes: &[u8]| match paper(context, order) {
        Some(_) => context.seal(name, bytes),
        None => context.keep(name, bytes),
    };
    let name = |what: &str| format!("{} {} {what}", order.id, order.state);
    let mut kept = vec![
        context.keep(&name("brief"), brief.as_bytes())?,
        keep(&name("transcript"), &reply.transcript)?,
    ];
    // What gates judge and people read later; the journal has it too, this is its hash.
    if let Some(result) = &reply.result {
        kept.push(keep(&name(RESULT), result.to_string().as_bytes())?);
    }
    // The whole conversation, where a connector had to shorten it for the model.
    let history = context.home(order.id).join(agents::HISTORY_FILE);
    if let Ok(bytes) = std::fs::read(history) {
        kept.push(keep(&name("history"), &bytes)?);
    }
    // What it had of the person's own setup, by name and hash.
    let setup = context.home(order.id).join(agents::SETUP_FILE);
    if let Ok(bytes) = std::fs::read(setup) {
        kept.push(keep(&name("setup"), &bytes)?);
    }
    // What our own tools looked up for it, as they wrote it down.
    let research = context.home(order.id).join(agents::RESEARCH_FILE);
    if let Ok(bytes) = std::fs::read(research) {
        kept.push(keep(&name("research"), &bytes)?);
    }
    // What the Code Index had near its task, one piece each.
    let candidates = std::fs::read(context.home(order.id).join(super::CANDIDATES));
    let candidates = candidates
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let candidates: BTreeMap<String, Value> = candidates.unwrap_or_default();
    for (reference, found) in candidates {
        let what = format!("{} {reference}", ::factory::engineering::work::CANDIDATE);
        kept.push(keep(&name(&what), found.to_string().as_bytes())?);
    }
    Ok(kept)
}

fn names(changes: &[Change]) -> Vec<String> {
    let mut names: Vec<String> = changes.iter().take(MOST_PATHS).map(Change::name).collect();
    if changes.len() > MOST_PATHS {
        names.push(format!("and {} more", changes.len() - MOST_PATHS));
    }
    names
}

/// May this be taken back, and what does the agent ask for?
fn judge(
    context: &Context,
    order: &AttemptOrder,
    home: &Path,
    changes: &[Change],
    outcome: &mut Outcome,
) -> Result<(), (Class, String)> {
    // A file would be read by whoever works next.
    if let (Some(paper), Some(change)) = (paper(context, order), changes.first()) {
        let (what, name) = (paper.member(), change.name());
        let why = format!("who hands in an {what} under seal changes no file, and this is {name}");
        return Err((Class::OutOfScope, why));
    }
    if order.access == Access::ReadOnly
        && let Some(change) = changes.iter().find(|change| change.root == Root::Repo)
    {
        let all = changes
            .iter()
            .filter(|change| change.root == Root::Repo)
            .count();
        return Err((
            Class::OutOfScope,
            format!(
                "the role `{}` may not edit the repository, and changed {} ({all} in all)",
                order.role,
                change.name()
            ),
        ));
    }
    let globs = Globs::of(&order.sight, &context.hidden)
        .map_err(|error| (Class::CouldNotRun, error.to_string()))?;
    if let Some(what) = view::forbidden(changes, &globs, &context.secrets) {
        return Err((Class::OutOfScope, what));
    }
    if let Some(item) = broken_seal(context, order, home, changes) {
        outcome.code = Some("tamper_tripwire".to_owned());
        let what = format!("{item} is frozen, and the agent changed it");
        return Err((Class::OutOfScope, what));
    }
    let asked = outcome
        .result
        .as_ref()
        .and_then(|result| result["next"].as_str())
        .filter(|next| !next.is_empty());
    let asked = asked.map(StateName::from);
    let task = context.workflow.task.as_ref();
    // Who hands in something under seal has changed no file, and may not even see this one.
    let Some(task) = task.filter(|_| paper(context, order).is_none()) else {
        outcome.request = asked;
        return Ok(());
    };
    let StateFile {
        fields,
        edited,
        forged,
    } = read_state_file(context, order, home, &task.state_file, &task.phase_field)?;
    if let Some((code, line)) = forged {
        outcome.code = Some(code);
        return Err((
            Class::OutOfScope,
            format!(
                "task/{}: the agent wrote `{line}`, which is not for it to write",
                task.state_file
            ),
        ));
    }
    outcome.fields = fields;
    outcome.request = match (asked, edited) {
        (Some(asked), Some(edited)) if asked != edited => {
            return Err((
                Class::InvalidResult,
                format!(
                    "the result asks for `{asked}`, the `{}:` line of task/{} for `{edited}`: ask for one",
                    task.phase_field, task.state_file
                ),
            ));
        }
        (asked, edited) => asked.or(edited),
    };
    Ok(())
}

/// A sealed item that is another one in the agent's view.
fn broken_seal(
    context: &Context,
    order: &AttemptOrder,
    home: &Path,
    changes: &[Change],
) -> Option<String> {
    let (file, lines) = report::views::engine_lines(&context.workflow);
    let lines = &lines;
    let place = checks::Place {
        repo: &home.join("view/repo"),
        installed: context.project.top(),
        task: &home.join("view/task"),
        views: checks::Views { file, lines },
    };
    let changed = |item: &str| {
        let file = item.split('#').next().unwrap_or(item);
        changes.iter().any(|change| change.name() == file)
    };
    let mut sealed = order.sealed.iter();
    let broken = sealed.find(|(item, hash)| {
        changed(item) && !checks::item_hash(place, item).is_ok_and(|now| now == **hash)
    });
    broken.map(|(item, _)| item.clone())
}

/// What an agent left in the state file.
struct StateFile {
    /// The fields that agents may write.
    fields: BTreeMap<String, String>,
    /// The phase that it asks for there.
    edited: Option<StateName>,
    /// A line that it wrote and may not write, with the code under which that is refused.
    forged: Option<(String, String)>,
}

fn read_state_file(
    context: &Context,
    order: &AttemptOrder,
    home: &Path,
    file: &str,
    phase: &str,
) -> Result<StateFile, (Class, String)> {
    let path = home.join("view/task").join(file);
    let bad = |what: String| (Class::InvalidResult, format!("task/{file}: {what}"));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| bad(format!("could not be read: {error}")))?;
    let fields = context.workflow.task.iter().flat_map(|task| &task.fields);
    let names: Vec<&str> = fields.clone().map(|field| field.name.as_str()).collect();
    let mut found = parse_fields(&text, &names).map_err(|error| bad(error.to_string()))?;
    let edited = found
        .get(phase)
        .map(|value| StateName::from(value.as_str()));
    let edited = edited.filter(|state| *state != order.state && !state.as_str().is_empty());
    let authored: Vec<&str> = fields
        .clone()
        .filter(|field| field.owner == Owner::Author)
        .map(|field| field.name.as_str())
        .collect();
    // Only what the agent changed: the real file is as the agent first saw it.
    let before = std::fs::read_to_string(context.task.join(file)).ok();
    let before = before
        .and_then(|text| parse_fields(&text, &names).ok())
        .unwrap_or_default();
    let forged = fields.clone().find_map(|field| {
        let code = field.refuse.clone().filter(|_| field.name != phase)?;
        let written = found.get(&field.name)?;
        let touched = before
            .get(&field.name)
            .is_some_and(|before| before != written);
        (touched && !field.is_open_in(&order.state))
            .then(|| (code, format!("{}: {written}", field.name)))
    });
    found
        .retain(|name, value| authored.contains(&name.as_str()) && before.get(name) != Some(value));
    Ok(StateFile {
        fields: found,
        edited,
        forged,
    })
}
