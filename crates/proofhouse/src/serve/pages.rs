//! Addresses and their pages: each is gathered from the read model and nothing else, once for everybody who
//! looks at it, and again when something moved that it shows.

use super::http::{Request, Response, decoded};
use super::watch::{Moment, Pulse, milestones};
use ::audit::{Asked, Rigour};
use engine::approval::passkey;
use kernel::event::Arrival;
use kernel::ledger::RUNNING;
use kernel::machine::Activity;
use kernel::{Body, Machine, Time};
use report::attempt::Attempt;
use report::evidence::Evidence;
use report::inbox::Fault;
use report::kept::Kept;
use report::page::answer::{self, Answers};
use report::page::home::{self, Repository};
use report::page::live::{self, Live, Tone};
use report::page::machine::{self, Drawn};
use report::page::now::Flying;
use report::page::tables::{self, Cell, Table, cost};
use report::page::ways;
use report::row::Row;
use report::run::{Report, RunReport};
use report::spend::{Spend, dollars};
use report::{Looked, look};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use workspace::config::Config;
use workspace::config::keys::KEYS;
use workspace::pinned::read_below;
use workspace::{EngineError, Project, config};

/// How many runs that are over are held against branches, the newest first: each costs a few calls of git.
const FATES: usize = 20;

/// How long the first page reads before it is shown, with the newest runs; the rest follows.
const FIRST: Duration = Duration::from_millis(400);
const DAY_MILLIS: u64 = 86_400_000;

/// The largest picture that is shown.
const MOST_PICTURE: u64 = 16 << 20;

/// The repositories that are shown.
pub(super) struct House {
    pub(super) repos: Vec<(String, Project)>,
    pub(super) pulse: Pulse,
    /// The page's own origin, where people may answer on it.
    pub(super) decides: Option<String>,
    pub(super) go_on: super::GoOn,
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
        go_on: super::GoOn,
    ) -> Self {
        Self {
            repos,
            decides,
            go_on,
            pulse: Pulse::default(),
            pages: Mutex::default(),
            rows: Mutex::default(),
            kept: Mutex::default(),
        }
    }

    fn answers(&self, project: &Project) -> Answers {
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
            ["r", key] => {
                self.repo(key)?;
                Ok(self.home(&moments))
            }
            ["r", key, rest @ ..] => {
                let (at, project) = self.repo(key)?;
                self.of_repo(at, project, key, rest)?
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
    ) -> Option<Result<Live, EngineError>> {
        Some(match rest {
            ["run", run] => self.run(at, project, key, run),
            ["run", run, "evidence", file] => self.evidence(at, project, key, run, file),
            ["enrol"] if self.decides.is_some() => enrolment(project, key),
            ["state_store", rest @ ..] => stored(project, key, rest),
            ["spend"] => spend(project, key),
            ["audit"] => audited(project, key),
            ["settings"] => settings(project),
            ["workflows"] => Ok(workflows(project, key)),
            ["workflow", name] => workflow(project, key, name),
            ["milestone", name] => milestone(project, key, name),
            _ => return None,
        })
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
                cap: config.as_ref().and_then(Config::day_micro_dollars),
                checks: match config.as_ref().map(Config::commands) {
                    Some(set) if !set.is_empty() => set,
                    _ => engine::start::found_commands(project),
                },
                agent: config.as_ref().and_then(Config::agent).map(str::to_owned),
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
                lines.push(line.clone());
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
            lines.push(line);
        }
        if lines.len() < moment.runs.len() {
            self.pulse.beat();
        }
        lines
    }

    /// A run as of now. What was read of its evidence is read once.
    fn gathered(&self, at: usize, project: &Project, run: &str) -> Result<Gathered, EngineError> {
        let name = (at, run.to_owned());
        let mut kept = held(&self.kept).remove(&name).unwrap_or_default();
        let gathered = report::evidence::now(project, run, &mut kept);
        held(&self.kept).insert(name, kept);
        gathered
    }

    fn run(&self, at: usize, project: &Project, key: &str, run: &str) -> Result<Live, EngineError> {
        if report::look::is_project(project, run) {
            return Ok(report::page::project::live(&engine::factory::page::gather(
                project, run,
            )?));
        }
        let (mut evidence, peek, history) = self.gathered(at, project, run)?;
        if evidence.waiting_for.is_some() {
            evidence.grounds.cases = report::told_case::told_cases(project, run, &history);
        }
        let workflow = peek.machine.workflow();
        let mut been = BTreeMap::from([(workflow.table.initial.clone(), 1)]);
        for event in history.events() {
            if let Body::Moved(moved) = &event.body
                && moved.arrival == Arrival::Entered
            {
                *been.entry(moved.position.state.clone()).or_default() += 1;
            }
        }
        let here = peek.machine.position().state.clone();
        let drawn = Drawn {
            table: &workflow.table,
            here: BTreeMap::from([(here, vec![run.to_owned()])]),
            been,
        };
        let driven = report::look::is_driven(project, run);
        let status = peek.machine.status();
        let all = match driven {
            true => report::now::of(project, run, &status, &history),
            // What an engine left in flight that is gone works no more.
            false => Vec::new(),
        };
        let report = RunReport::of(project, run, &peek)?;
        let (stands, commands) = next(run, &report);
        let flying = Flying {
            all: &all,
            stands,
            commands,
            workflow: &workflow.name,
        };
        let answers = (self.answers(project), key);
        Ok(report::page::live_run(&evidence, &drawn, &flying, answers))
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

fn unreadable(run: &str, error: &EngineError) -> Report {
    Report::Unreadable {
        run: run.to_owned(),
        error: Fault::from(error),
    }
}

fn address(key: &str, run: &str) -> String {
    format!("/r/{key}/run/{run}/")
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

/// A file of the factory's store, which a project's page links to.
fn stored(project: &Project, key: &str, rest: &[&str]) -> Result<Live, EngineError> {
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
fn spend(project: &Project, key: &str) -> Result<Live, EngineError> {
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

fn audited(project: &Project, key: &str) -> Result<Live, EngineError> {
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
        for finding in &one.findings {
            let word = Cell::Word(Tone::Bad, finding.code.clone());
            let place = match finding.line {
                0 => String::new(),
                line => format!("line {line}: "),
            };
            rows.push(vec![
                link(),
                word,
                Cell::text(format!("{place}{}", finding.what)),
            ]);
        }
    }
    let headline = match found {
        0 => "Every journal holds".to_owned(),
        1 => "One finding".to_owned(),
        many => format!("{many} findings"),
    };
    let lead = "Every record's hash, every piece of evidence and every commit was looked at again just now. \
                `proofhouse audit` does the same where nobody but you has been.";
    let table = Table {
        id: "findings",
        title: "Run by run".to_owned(),
        columns: vec!["Run", "Found", "What"],
        rows,
        none: "There are no runs.",
    };
    Ok(tables::page("audit", &headline, lead, &[table]))
}

fn settings(project: &Project) -> Result<Live, EngineError> {
    let held = project.config()?;
    let set = held.iter().map(|(name, value, source)| {
        let value = serde_json::to_string(value).unwrap_or_default();
        vec![
            Cell::text(name.clone()),
            Cell::text(value),
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
            Cell::text(key.name),
            Cell::text(value),
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
    Ok(tables::page("settings", "Settings", lead, &tables))
}

fn workflows(project: &Project, key: &str) -> Live {
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

fn workflow(project: &Project, key: &str, name: &str) -> Result<Live, EngineError> {
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

fn milestone(project: &Project, key: &str, name: &str) -> Result<Live, EngineError> {
    let folder = engine::wave::folder::MilestoneFolder::find(project, Some(name))?;
    let (board, _) = folder.peek()?;
    let report = report::wave::report(project, &folder.milestone, &folder.branch(), &board);
    let tasks = report.tasks.iter().map(|task| {
        let name = match &task.run {
            Some(run) => Cell::Link(address(key, run), task.task.clone()),
            None => Cell::text(task.task.clone()),
        };
        vec![
            name,
            Cell::text(task.stands.clone()),
            Cell::text(task.depends_on.join(", ")),
            Cell::text(task.spend.as_ref().map_or_else(String::new, Spend::money)),
        ]
    });
    let criteria = report.criteria.iter();
    let criteria =
        criteria.map(|one| vec![Cell::text(one.text.clone()), Cell::text(one.stands.clone())]);
    let tables = [
        Table {
            id: "tasks",
            title: "Tasks, in the order of merging".to_owned(),
            columns: vec!["Task", "Stands", "After", "Spent"],
            rows: tasks.collect(),
            none: "None.",
        },
        Table {
            id: "criteria",
            title: "What must hold at the end".to_owned(),
            columns: vec!["Criterion", "Stands"],
            rows: criteria.collect(),
            none: "None.",
        },
    ];
    let next = report
        .step()
        .into_iter()
        .flat_map(|step| step.commands)
        .next();
    let next = next.map_or_else(String::new, |command| format!(". Next: `{command}`"));
    let headline = match (report.complete, report.goal_met) {
        (true, true) => "Every task is merged, and the goal is met",
        (true, false) => "Every task is merged",
        (false, _) => "On its way",
    };
    Ok(tables::page(
        &format!("milestone {name}"),
        headline,
        &format!("{}{next}", report.goal),
        &tables,
    ))
}
