//! Addresses and their pages: each is gathered from the read model and nothing else, once for everybody who
//! looks at it, and again when something moved that it shows.

use super::http::{Request, Response, decoded};
use super::watch::{Moment, Pulse, milestones};
use super::{factory, index, lists};
use approval::passkey;
use kernel::budget::{DEFAULTS, MICRO_DOLLARS};
use kernel::event::Arrival;
use kernel::machine::Activity;
use kernel::{Body, Machine, Time};
use report::evidence::Evidence;
use report::inbox::Fault;
use report::kept::Kept;
use report::now::Much;
use report::page::act::{Act, What};
use report::page::answer::{self, Answers};
use report::page::diff::View;
use report::page::home::{self, Repository, Works};
use report::page::live::{self, Live};
use report::page::machine::Drawn;
use report::page::now::Flying;
use report::page::ways;
use report::row::Row;
use report::run::{Doing, Report, RunReport};
use report::{Looked, look};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use workspace::config::Config;
use workspace::pinned::read_below;
use workspace::{EngineError, Project};

/// How many runs that are over are held against branches, the newest first: each costs a few calls of git.
const FATES: usize = 20;

/// How long the first page reads before it is shown, with the newest runs; the rest follows.
const FIRST: Duration = Duration::from_millis(400);
const DAY_MILLIS: u64 = 86_400_000;

/// The largest picture that is shown.
const MOST_PICTURE: u64 = 16 << 20;
/// The longest text that a run left and that is shown.
const MOST_TEXT: u64 = 4 << 20;

/// The repositories that are shown.
pub(super) struct House {
    pub(super) repos: Vec<(String, Project)>,
    pub(super) pulse: Pulse,
    /// The page's own origin, where people may answer on it.
    pub(super) decides: Option<String>,
    pub(super) go_on: super::GoOn,
    pub(super) end: super::End,
    /// What was made of what, by address.
    pages: Mutex<HashMap<String, (String, Arc<Live>)>>,
    rows: Mutex<HashMap<(usize, String), (String, Line)>>,
    kept: Mutex<HashMap<(usize, String), Kept>>,
}

/// A run in a list, and what it spent today.
#[derive(Clone)]
struct Line {
    row: Row,
    today: u64,
}

/// What a run may cost where nothing else is set.
fn most_cost() -> Option<u64> {
    let mut all = DEFAULTS.iter();
    all.find(|(name, _)| *name == MICRO_DOLLARS)
        .map(|(_, cap)| *cap)
}

/// What people call a repository: its folder's name.
fn name_of(key: &str, project: &Project) -> String {
    let folder = project.top().file_name();
    folder.map_or_else(
        || key.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A page, and the number of the moment that it shows.
pub(super) type Shown = (u64, Arc<Live>);

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl House {
    pub(super) fn new(
        repos: Vec<(String, Project)>,
        decides: Option<String>,
        (go_on, end): (super::GoOn, super::End),
    ) -> Self {
        Self {
            repos,
            decides,
            go_on,
            end,
            pulse: Pulse::default(),
            pages: Mutex::default(),
            rows: Mutex::default(),
            kept: Mutex::default(),
        }
    }

    pub(super) fn answers(&self, project: &Project) -> Answers {
        let Some(origin) = &self.decides else {
            return Answers::No;
        };
        let approvers = project.read_approvers().ok().flatten().unwrap_or_default();
        let enrolled = passkey::enrolled_at(&approvers);
        match enrolled.is_empty() {
            true => Answers::NobodyYet,
            false if enrolled.contains(origin) => Answers::Yes,
            false => Answers::Elsewhere,
        }
    }

    /// What its engine can be told from the page.
    fn act<'a>(
        &self,
        repo: &'a str,
        run: &'a str,
        (activity, driven): (Activity, bool),
    ) -> Option<Act<'a>> {
        self.decides.as_ref()?;
        let what = What::of(activity, driven)?;
        Some(Act { repo, run, what })
    }

    /// The repository that an address names.
    pub(super) fn repo(&self, key: &str) -> Option<(usize, &Project)> {
        let found = self.repos.iter().position(|(one, _)| one == key)?;
        Some((found, &self.repos[found].1))
    }

    /// The page of an address as it is now; none: there is no such address.
    pub(super) fn page(&self, request: &Request) -> Option<Shown> {
        let parts: Vec<String> = request
            .path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(decoded)
            .collect::<Option<_>>()?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (number, moments) = self.pulse.now();
        let address = format!("{}?{}", request.path, request.query);
        let made_of = match parts.as_slice() {
            ["r", key, "run", run, ..] => {
                let (at, _) = self.repo(key)?;
                let moment = moments.get(at);
                {
                    let of = moment
                        .map(|moment| (moment.runs.get(*run), &moment.branches, &moment.approvers));
                    format!("{of:?}")
                }
            }
            ["r", key, ..] => format!("{:?}", moments.get(self.repo(key)?.0)),
            // Where not all was read yet, the next beat reads on.
            _ => format!("{moments:?} {}", self.pulse.beats()),
        };
        if let Some((of, page)) = held(&self.pages).get(&address)
            && *of == made_of
        {
            return Some((number, page.clone()));
        }
        let page = match parts.as_slice() {
            [] => Ok(self.home(&moments)),
            ["inbox"] => self.inbox(),
            ["index"] => Ok(index::page(
                &self.repos,
                &request.asked("q").unwrap_or_default(),
            )),
            ["r", key] => {
                self.repo(key)?;
                Ok(self.home(&moments))
            }
            ["r", key, rest @ ..] => {
                let (at, project) = self.repo(key)?;
                let view = match request.asked("diff").as_deref() {
                    Some("beside") => View::Beside,
                    _ => View::Unified,
                };
                self.of_repo(at, project, key, rest, view)?
            }
            _ => return None,
        };
        let mut page = page.unwrap_or_else(|error| live::fault(&Fault::from(&error)));
        self.put_ways(&mut page, &parts, &request.path);
        let page = Arc::new(page);
        let mut pages = held(&self.pages);
        // What nobody looks at any more need not be kept.
        if pages.len() > 200 {
            pages.clear();
        }
        pages.insert(address, (made_of, page.clone()));
        Some((number, page))
    }

    /// The other pages: on the first one those of every repository, with its milestones.
    fn put_ways(&self, page: &mut Live, parts: &[&str], path: &str) {
        let chosen = match parts {
            ["r", key, ..] => Some(*key),
            _ => None,
        };
        let first = parts.len() <= 2;
        let repos = self
            .repos
            .iter()
            .filter(|(key, _)| chosen.is_none_or(|one| one == key));
        let all: Vec<_> = repos
            .map(|(key, project)| {
                let there = match first {
                    true => milestones(project),
                    false => Vec::new(),
                };
                (key, name_of(key, project), there)
            })
            .collect();
        let places: Vec<ways::Place<'_>> = all
            .iter()
            .map(|(key, name, milestones)| ways::Place {
                key,
                name,
                milestones,
                decides: self.decides.is_some(),
            })
            .collect();
        ways::put_before(page, &places, path.trim_end_matches('/'));
    }

    fn of_repo(
        &self,
        at: usize,
        project: &Project,
        key: &str,
        rest: &[&str],
        view: View,
    ) -> Option<Result<Live, EngineError>> {
        if let ["run", run, rest @ ..] = rest
            && !matches!(rest, ["at", ..] | ["now"])
            && report::look::is_project(project, run)
        {
            let decides = self.decides.is_some();
            return factory::page(project, (key, run), rest, (self.answers(project), decides));
        }
        Some(match rest {
            ["run", run] => self.run(at, project, (key, run), view),
            ["run", run, "evidence", file] | ["run", run, "at", _, "evidence", file] => {
                self.evidence(at, project, key, run, file)
            }
            ["enrol"] if self.decides.is_some() => enrolment(project, key),
            ["run", run, "now"] => said(project, run),
            ["run", run, "at", seq] => self.then(at, project, (key, run), seq.parse().ok()?),
            ["run", run, file @ ..] => self.left(at, project, (key, run), &file.join("/"))?,
            ["state_store", rest @ ..] => lists::stored(project, key, rest),
            ["spend"] => lists::spend(project, key),
            ["audit"] => lists::audited(project, key),
            ["settings"] => lists::settings(project, self.decides.as_ref().map(|_| key)),
            ["workflows"] => Ok(lists::workflows(project, key)),
            ["workflow", name] => lists::workflow(project, key, name),
            ["milestone", name] => lists::milestone(project, key, name),
            _ => return None,
        })
    }

    /// Everything that waits, in words.
    fn inbox(&self) -> Result<Live, EngineError> {
        let all = self.repos.iter().map(|(key, project)| {
            Ok(report::page::inbox::Waiting {
                key: key.clone(),
                name: name_of(key, project),
                items: report::inbox::inbox(project)?,
                answers: self.answers(project),
            })
        });
        let all: Vec<_> = all.collect::<Result<_, EngineError>>()?;
        Ok(report::page::inbox::page(&all))
    }

    fn home(&self, moments: &[Moment]) -> Live {
        let nothing = Moment::default();
        let until = Instant::now() + FIRST;
        let all = self.repos.iter().enumerate().map(|(at, (key, project))| {
            let moment = moments.get(at).unwrap_or(&nothing);
            let config = project.config().ok();
            let lines = self.lines(at, project, moment, until);
            Repository {
                key: key.clone(),
                name: name_of(key, project),
                rows: lines.iter().map(|line| line.row.clone()).collect(),
                today: lines.iter().map(|line| line.today).sum(),
                unread: moment.runs.len() - lines.len(),
                criteria: report::criterion::unticked(project),
                budget: config
                    .as_ref()
                    .and_then(|config| config.budget(MICRO_DOLLARS).or_else(most_cost)),
                cap: config.as_ref().and_then(Config::day_micro_dollars),
                checks: match config.as_ref().map(Config::commands) {
                    Some(set) if !set.is_empty() => set,
                    _ => engine::start::found_commands(project),
                },
                agent: works(config.as_ref()),
                answers: self.answers(project),
            }
        });
        home::page(&all.collect::<Vec<_>>(), self.decides.is_some())
    }

    /// Every run in a line, the one that moved last first; those that were not read by then come later.
    fn lines(&self, at: usize, project: &Project, moment: &Moment, until: Instant) -> Vec<Line> {
        let mut runs: Vec<_> = moment.runs.iter().collect();
        runs.sort_by_key(|(_, stamp)| std::cmp::Reverse(stamp.changed));
        let now = workspace::clock::now();
        let midnight = now.0 - now.0 % DAY_MILLIS;
        let mut lines = Vec::new();
        for (nth, (run, stamp)) in runs.into_iter().enumerate() {
            let landed = (nth < FATES).then_some(&moment.branches);
            let made_of = format!("{:?} {landed:?} {midnight}", stamp.journal());
            let name = (at, run.clone());
            if let Some((of, line)) = held(&self.rows).get(&name)
                && *of == made_of
            {
                lines.push(as_awaited(project, line.clone()));
                continue;
            }
            if Instant::now() > until {
                continue;
            }
            let moved = Time(u64::try_from(stamp.changed / 1_000_000).unwrap_or_default());
            let today = match (moved.0 < midnight, store::RunName::new(run)) {
                (false, Ok(name)) => workspace::spend::of_run_today(project, &name, now),
                // Nothing was written to it today.
                _ => 0,
            };
            let row = row(project, run, moved, nth < FATES);
            let line = Line { row, today };
            held(&self.rows).insert(name, (made_of, line.clone()));
            lines.push(as_awaited(project, line));
        }
        if lines.len() < moment.runs.len() {
            self.pulse.beat();
        }
        lines
    }

    /// A run as of now.
    fn gathered(&self, at: usize, project: &Project, run: &str) -> Result<Gathered, EngineError> {
        self.reading(at, run, |kept| report::evidence::now(project, run, kept))
    }

    /// Reads with what was read of this run before.
    pub(super) fn reading<T>(&self, at: usize, run: &str, read: impl FnOnce(&mut Kept) -> T) -> T {
        let name = (at, run.to_owned());
        let mut kept = held(&self.kept).remove(&name).unwrap_or_default();
        let found = read(&mut kept);
        held(&self.kept).insert(name, kept);
        found
    }

    fn run(
        &self,
        at: usize,
        project: &Project,
        (key, run): (&str, &str),
        view: View,
    ) -> Result<Live, EngineError> {
        let (mut evidence, peek, history) = self.gathered(at, project, run)?;
        if evidence.waiting_for.is_some() {
            evidence.grounds.cases = report::told_case::told_cases(project, run, &history);
        }
        let workflow = peek.machine.workflow();
        let drawn = drawn(run, &peek.machine, &history);
        let driven = report::look::is_driven(project, run);
        let status = peek.machine.status();
        let all = match driven {
            true => report::now::of(project, run, (&status, &history), Much::Last),
            // What an engine left in flight that is gone works no more.
            false => Vec::new(),
        };
        let report = RunReport::of(project, run, &peek)?;
        let (stands, commands) = next(run, &report);
        let flying = Flying {
            all: &all,
            stands,
            commands,
            act: self.act(key, run, (status.activity, driven)),
            workflow: &workflow.name,
            last: peek.head.seq,
            commit: report::back::commits(project, run)?.last().copied(),
        };
        let answers = (self.answers(project), key);
        Ok(report::page::live_run(
            &evidence, &drawn, &flying, answers, view,
        ))
    }

    /// A file that a run left beside its page; none: it left none of this name.
    fn left(
        &self,
        at: usize,
        project: &Project,
        (key, run): (&str, &str),
        file: &str,
    ) -> Option<Result<Live, EngineError>> {
        let (evidence, ..) = match self.gathered(at, project, run) {
            Ok(gathered) => gathered,
            Err(error) => return Some(Err(error)),
        };
        let link = evidence.artifacts.iter().find(|one| one.href == file)?;
        let back = format!("/r/{key}/run/{run}/");
        if picture(file).is_some() {
            return Some(Ok(live::picture(&link.name, &back)));
        }
        let folder = report::evidence::folder(project, run).ok()?;
        let bytes = read_below(&folder, Path::new(file), MOST_TEXT).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(Ok(live::text(&link.name, &back, &text)))
    }

    /// A piece of evidence, by the name of its copy beside the page.
    fn evidence(
        &self,
        at: usize,
        project: &Project,
        key: &str,
        run: &str,
        file: &str,
    ) -> Result<Live, EngineError> {
        let (evidence, ..) = self.gathered(at, project, run)?;
        let back = format!("/r/{key}/run/{run}/");
        let gates = evidence.gates.iter().flat_map(|gate| &gate.checks);
        let pieces = gates.flat_map(|check| &check.evidence);
        let mut pieces = pieces.chain(evidence.attempts.iter().flat_map(|one| &one.evidence));
        let (short, _) = file.split_once('-').unwrap_or((file, ""));
        let piece = pieces
            .find(|piece| !piece.sealed && short.len() >= 12 && piece.hash.starts_with(short));
        let Some(piece) = piece else {
            return Err(EngineError::user(
                "no_such_file",
                format!("`{run}` has kept no evidence of this name"),
                "go back to the run; what is under seal is shown when the run is over",
            ));
        };
        let bytes = project.vault()?.get(&piece.hash)?;
        Ok(live::text(
            &piece.name,
            &back,
            &String::from_utf8_lossy(&bytes),
        ))
    }
}

impl House {
    /// A picture that a run left beside its page.
    pub(super) fn file(&self, path: &str) -> Response {
        let none = || Response::text(404, "there is no such picture");
        let parts: Option<Vec<String>> = path.split('/').skip(2).map(decoded).collect();
        let Some(parts) = parts else { return none() };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let ["r", key, "run", run, inside @ ..] = parts.as_slice() else {
            return none();
        };
        let found = || {
            let (_, project) = self.repo(key)?;
            let folder = report::evidence::folder(project, run).ok()?;
            let kind = picture(inside.last()?)?;
            let bytes = read_below(&folder, Path::new(&inside.join("/")), MOST_PICTURE).ok()?;
            Some(Response::new(200, kind, bytes))
        };
        found().unwrap_or_else(none)
    }
}

fn picture(name: &str) -> Option<&'static str> {
    Some(
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "gif" => "image/gif",
            "webp" => "image/webp",
            _ => return None,
        },
    )
}

/// Who would work in a new run, as `do` chooses it.
fn works(config: Option<&Config>) -> Works {
    match config.and_then(Config::agent) {
        Some(agent) => Works::Set(agent.to_owned()),
        None => crate::found::installed().map_or(Works::Nobody, Works::Installed),
    }
}

type Gathered = (Evidence, report::Peek<flow::Flow>, report::History);

fn row(project: &Project, run: &str, at: Time, with_fate: bool) -> Row {
    let looked = match look(project, run) {
        Ok(Looked::Run(peek)) if !with_fate => {
            RunReport::brief(project, run, &peek).map(|report| Report::Run(Box::new(report)))
        }
        Ok(looked) => Report::of(project, run, &looked),
        Err(error) => Err(error),
    };
    Row::of(
        run,
        &looked.unwrap_or_else(|error| unreadable(run, &error)),
        at,
    )
}

/// Whether a guest has come is in no record: it is looked up anew each time.
fn as_awaited(project: &Project, mut line: Line) -> Line {
    if line.row.doing == Doing::Working && engine::guest::is_awaited(project, &line.row.run) {
        line.row.doing = Doing::Guest;
    }
    line
}

fn unreadable(run: &str, error: &EngineError) -> Report {
    Report::Unreadable {
        run: run.to_owned(),
        error: Fault::from(error),
    }
}

/// All that is said right now by whoever works on it.
fn said(project: &Project, run: &str) -> Result<Live, EngineError> {
    let looked = look(project, run)?;
    let all = match report::look::is_driven(project, run) {
        true => {
            let history = report::history(project, run)?;
            report::now::of(project, run, (&looked.status(), &history), Much::Whole)
        }
        false => Vec::new(),
    };
    Ok(report::page::now::whole(run, &all))
}

fn enrolment(project: &Project, key: &str) -> Result<Live, EngineError> {
    let text = project.read_approvers()?.unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(answer::enrol(
        key,
        &lines.map(str::to_owned).collect::<Vec<_>>(),
    ))
}

/// The machine as it stands, with how often the run came to each state.
pub(super) fn drawn<'a>(
    run: &str,
    machine: &'a flow::Flow,
    history: &report::History,
) -> Drawn<'a> {
    let table = &machine.workflow().table;
    let mut been = BTreeMap::from([(table.initial.clone(), 1)]);
    for event in history.events() {
        let position = match &event.body {
            Body::Moved(moved) if moved.arrival == Arrival::Entered => &moved.position,
            Body::Rewound(back) => &back.position,
            _ => continue,
        };
        *been.entry(position.state.clone()).or_default() += 1;
    }
    let here = machine.position().state.clone();
    Drawn {
        table,
        here: BTreeMap::from([(here, vec![run.to_owned()])]),
        been,
    }
}

/// What a person does next with a run that nobody works on, and that asks nothing.
fn next(run: &str, report: &RunReport) -> (String, Vec<String>) {
    if let Some(fate) = &report.fate {
        return (format!("Its work is {}.", fate.words()), Vec::new());
    }
    if let Some(open) = &report.not_landed {
        let diff = format!("proofhouse diff {run}");
        let commands = std::iter::once(diff).chain(open.commands.iter().cloned());
        return (open.words(run), commands.collect());
    }
    match (report.status.activity, report.driven) {
        (Activity::Working, false) => (
            "Nobody drives it: there is work to do, and it goes on when you say so.".to_owned(),
            vec![format!("proofhouse run {run}")],
        ),
        (Activity::Working, true) => (
            "An engine drives it.".to_owned(),
            vec![
                format!("proofhouse attach {run}"),
                format!("proofhouse stop {run}"),
            ],
        ),
        _ => (String::new(), Vec::new()),
    }
}
