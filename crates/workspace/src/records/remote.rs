//! Records and work of runs, pushed and fetched. It refuses what git refuses: to write over a ref that
//! says something else.

use super::lay_out::{Over, lay_out};
use super::{Standing, lay_out_missing, standing};
use crate::error::Error;
use crate::git::{self, REPLACED, git, text};
use crate::lock;
use crate::project::{Project, Records};
use std::collections::BTreeMap;
use store::RunName;

const ALL: &str = "refs/proofhouse/*:refs/proofhouse/*";

/// What git needs to be let in by a remote, as the person has it.
const LETS_IN: [&str; 5] = [
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "XDG_CONFIG_HOME",
];

/// The environment of a git that speaks with a remote.
pub fn let_in() -> Vec<(&'static str, String)> {
    let set = LETS_IN.into_iter();
    set.filter_map(|name| Some((name, std::env::var(name).ok()?)))
        .collect()
}

/// Where a remote is; a path or an address is its own name.
pub fn address(project: &Project, remote: &str) -> Result<String, Error> {
    match git(project.top(), &["remote", "get-url", "--", remote], &[]) {
        Ok(said) => Ok(text(&said)),
        Err(_) if remote.contains(['/', ':']) || project.top().join(remote).is_dir() => {
            Ok(remote.to_owned())
        }
        Err(_) => Err(Error::user(
            "no_remote",
            format!("there is no remote `{remote}`"),
            "add one with `git remote add`, or name another (`records push REMOTE`, `pr --remote REMOTE`)",
        )),
    }
}

/// Runs a git that speaks with a remote; gives what it printed.
pub fn speak(project: &Project, args: &[&str]) -> Result<String, Error> {
    let env = let_in();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    Ok(text(&git(project.top(), args, &env)?))
}

fn differ(runs: &[String], others: &str) -> Error {
    Error::user(
        "records_differ",
        format!(
            "`{}` went on here and there, each in another way; {others}",
            runs.join("`, `")
        ),
        "nothing was written over; keep one of the two under another name",
    )
}

/// Runs whose refs are not the same here and there, and where ours does not go on from theirs.
#[derive(Default)]
struct Apart {
    /// The refs that are there.
    there: Vec<String>,
    /// Each has something that the other lacks.
    forked: Vec<String>,
    /// Theirs goes on from ours.
    behind: Vec<String>,
}

fn apart(project: &Project, remote: &str) -> Result<Apart, Error> {
    let repo = project.top();
    let env = let_in();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let all = "refs/proofhouse/*";
    let there = text(&git(repo, &["ls-remote", "--", remote, all], &env)?);
    let mut others = Vec::new();
    for line in there.lines() {
        let Some((theirs, name)) = line.split_once('\t') else {
            continue;
        };
        let ours = git(repo, &["rev-parse", "--verify", "--quiet", name], &[]);
        let ours = ours.map(|ours| text(&ours)).ok();
        let ours = ours.filter(|ours| ours != theirs);
        others.extend(ours.map(|ours| (name, theirs, ours)));
    }
    // Of a commit that is not here nobody knows what it goes on from.
    if !others.is_empty() {
        let names = others.iter().map(|(name, _, _)| *name);
        let bring = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        let bring = bring.into_iter().chain(["--", remote]);
        git(repo, &bring.chain(names).collect::<Vec<&str>>(), &env)?;
    }
    let names = there.lines().filter_map(|line| line.split_once('\t'));
    let mut apart = Apart {
        there: names.map(|(_, name)| name.to_owned()).collect(),
        ..Apart::default()
    };
    for (name, theirs, ours) in others {
        let leads = |from: &str, to: &str| {
            git(repo, &["merge-base", "--is-ancestor", from, to], &[]).is_ok()
        };
        if leads(theirs, &ours) {
            continue;
        }
        let runs = match leads(&ours, theirs) {
            true => &mut apart.behind,
            false => &mut apart.forked,
        };
        let run = name.rsplit('/').next().unwrap_or(name).to_owned();
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    Ok(apart)
}

/// What became of refs that were to be pushed, as git says it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pushed {
    /// They are there now, and were not so before.
    pub moved: usize,
    /// They were there already.
    pub there: usize,
    /// They are not there.
    pub refused: usize,
    /// Runs that an engine drives: what they made so far has no records yet, and nobody could make
    /// anything of one without the other. And those that left one of them.
    pub at_work: Vec<String>,
}

impl Pushed {
    /// Reads `git push --porcelain`: a sign, the two names and a remark for each ref.
    fn read(said: &str) -> Self {
        let mut pushed = Self::default();
        for line in said.lines().filter(|line| line.contains("\trefs/")) {
            match line.as_bytes().first() {
                Some(b'=') => pushed.there += 1,
                Some(b'!') => pushed.refused += 1,
                _ => pushed.moved += 1,
            }
        }
        pushed
    }

    /// What became of those that were not refused.
    fn others(&self) -> String {
        let refs = |count: usize| match count {
            1 => "1 other ref".to_owned(),
            count => format!("{count} other refs"),
        };
        match (self.moved, self.there) {
            (0, 0) => "nothing else was pushed".to_owned(),
            (0, there) => format!("{} there already, and nothing else was pushed", refs(there)),
            (moved, _) => format!("{} pushed", refs(moved)),
        }
    }
}

/// The runs that began with edits which are in no commit of the person's, or wrote over some: whoever
/// pushes their work pushes those.
pub fn with_edits(project: &Project) -> Result<Vec<String>, Error> {
    const EDITS: &str = "refs/proofhouse/edits/";
    let listed = ["for-each-ref", "--format=%(refname)", EDITS, REPLACED];
    let listed = text(&git(project.top(), &listed, &[])?);
    let run = |name: &str| match name.strip_prefix(EDITS) {
        Some(run) => Some(run.to_owned()),
        None => Some(name.strip_prefix(REPLACED)?.split('/').next()?.to_owned()),
    };
    let mut runs: Vec<String> = listed.lines().filter_map(run).collect();
    runs.sort();
    runs.dedup();
    Ok(runs)
}

/// The run that a ref of ours is about; none for a milestone's.
fn run_of(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("refs/proofhouse/")?;
    match rest.split_once('/') {
        None => Some(rest),
        Some(("milestones", _)) => None,
        Some((_, run)) => run.split('/').next(),
    }
}

/// The run that a run left, if it is a fork.
fn left(project: &Project, run: &str) -> Option<String> {
    let name = RunName::new(run).ok()?;
    let first = super::first_body(project, &name).ok()??;
    Some(first["forked"]["run"].as_str()?.to_owned())
}

/// Those that a run comes from, the nearest first.
fn ancestors(run: &str, left: &dyn Fn(&str) -> Option<String>) -> impl Iterator<Item = String> {
    /// A chain of forks cannot be endless; nobody goes so deep.
    const DEEPEST: usize = 32;
    std::iter::successors(left(run), move |run| left(run)).take(DEEPEST)
}

/// Pushes everything but what is being made right now; gives what became of the refs.
pub fn push(project: &Project, remote: &str) -> Result<Pushed, Error> {
    address(project, remote)?;
    let listed = ["for-each-ref", "--format=%(refname)", "refs/proofhouse/"];
    let refs = text(&git(project.top(), &listed, &[])?);
    let mut runs = BTreeMap::new();
    for run in refs.lines().filter_map(run_of) {
        if !runs.contains_key(run) {
            runs.insert(run, whole(project, run)?);
        }
    }
    // Nobody could hold a run against the one that it left, where that is not there.
    let left = |run: &str| left(project, run);
    let lacking: Vec<&str> = runs
        .keys()
        .copied()
        .filter(|run| ancestors(run, &left).any(|from| runs.get(from.as_str()) == Some(&false)))
        .collect();
    runs.extend(lacking.into_iter().map(|run| (run, false)));
    let ready = |name: &&str| run_of(name).is_none_or(|run| runs.get(run) != Some(&false));
    let ready: Vec<&str> = refs.lines().filter(ready).collect();
    let waiting = runs.iter().filter(|(_, whole)| !**whole);
    let at_work: Vec<String> = waiting.map(|(run, _)| (*run).to_owned()).collect();
    if ready.is_empty() {
        return Ok(Pushed {
            at_work,
            ..Pushed::default()
        });
    }
    let env = let_in();
    let env: Vec<(&str, &str)> = env
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    // Not each by its name where there may be thousands: what is left out is named instead.
    let mut args = vec!["push", "--porcelain", "--", remote, ALL];
    let left_out = refs.lines().filter(|name| !ready.contains(name));
    let left_out: Vec<String> = left_out.map(|name| format!("^{name}")).collect();
    args.extend(left_out.iter().map(String::as_str));
    let ended = git::ended(project.top(), &args, &env)?;
    let pushed = Pushed {
        at_work,
        ..Pushed::read(&String::from_utf8_lossy(&ended.stdout))
    };
    if ended.exited_with(0) {
        return Ok(pushed);
    }
    let Apart { forked, behind, .. } = apart(project, remote)?;
    Err(match (forked.is_empty(), behind.is_empty()) {
        (false, _) => differ(&forked, &pushed.others()),
        (true, false) => Error::user(
            "records_behind",
            format!(
                "`{}` went on at `{remote}`, and not here; {}",
                behind.join("`, `"),
                pushed.others()
            ),
            "fetch first, `proofhouse records fetch`, then push again",
        ),
        (true, true) => git::failed(project.top(), &args, &ended),
    })
}

/// Brings the records of a run up to what it made; tells whether they are. While an engine drives it they
/// are not, and one that was killed left them behind.
fn whole(project: &Project, run: &str) -> Result<bool, Error> {
    let work = project.work(run);
    if project.records_of(run) != Records::OnRef || !work.is_dir() {
        return Ok(true);
    }
    let place = work.join("lock");
    // To take it waits for whoever only looks; an engine is not waited for.
    if lock::is_taken(&place) {
        return Ok(false);
    }
    let Some(_held) = lock::take(&place)? else {
        return Ok(false);
    };
    super::keep(project, run)?;
    Ok(true)
}

/// What a fetch brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// Runs that nobody had here.
    pub new: Vec<String>,
    /// Runs that were here, and went on there.
    pub further: Vec<String>,
}

/// Takes all refs but those that are left out, or none of them.
fn take(project: &Project, remote: &str, left_out: &[String]) -> Result<(), Error> {
    let mut args = vec![
        "fetch",
        "--atomic",
        "--no-tags",
        "--no-write-fetch-head",
        "--",
        remote,
        ALL,
    ];
    args.extend(left_out.iter().map(String::as_str));
    speak(project, &args).map(drop)
}

/// Fetches everything, and lays out what is new. Of a run that went on in two ways nothing is taken: its work
/// without the records behind it would be a run that somebody has tampered with.
pub fn fetch(project: &Project, remote: &str) -> Result<Fetched, Error> {
    address(project, remote)?;
    // What was made here and is not on its ref yet would be missed in the comparison.
    for run in store::list(&project.journals())? {
        whole(project, run.as_str())?;
    }
    let mut differing = Vec::new();
    if let Err(refused) = take(project, remote, &[]) {
        let Apart { forked, there, .. } = apart(project, remote)?;
        if forked.is_empty() {
            return Err(refused);
        }
        let of_them =
            |name: &&String| run_of(name).is_some_and(|run| forked.iter().any(|one| one == run));
        let left_out: Vec<String> = there
            .iter()
            .filter(of_them)
            .map(|name| format!("^{name}"))
            .collect();
        take(project, remote, &left_out)?;
        differing = forked;
    }
    let new = lay_out_missing(project)?.runs;
    let mut further = Vec::new();
    let here = store::list(&project.journals())?;
    let project = &project.surveyed(here.len())?;
    for (run, standing) in standing(project, here.iter().map(RunName::as_str))? {
        let run = run.to_owned();
        match standing {
            Standing::Whole => {}
            Standing::Behind => further.push(run),
            Standing::Differs if differing.contains(&run) => {}
            Standing::Differs => differing.push(run),
        }
    }
    let laid = lay_out(project, &further, Over::Files)?;
    if let Some((run, why)) = laid.without.first_key_value() {
        return Err(Error::environment(
            "records_incomplete",
            format!("{}: {why}", super::records_ref(run)),
            "fetch it anew from where the run was made",
        ));
    }
    if !differing.is_empty() {
        return Err(differ(&differing, "the others were fetched"));
    }
    Ok(Fetched { new, further })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_each_ref_is_what_is_told() {
        let said = "To /far\n*\trefs/proofhouse/a:refs/proofhouse/a\t[new reference]\n\
            =\trefs/proofhouse/b:refs/proofhouse/b\t[up to date]\n\
            !\trefs/proofhouse/c:refs/proofhouse/c\t[rejected] (non-fast-forward)\nDone\n";
        let pushed = Pushed::read(said);
        assert_eq!((pushed.moved, pushed.there, pushed.refused), (1, 1, 1));
        assert_eq!(pushed.others(), "1 other ref pushed");
        let refused = Pushed::read("!\trefs/a:refs/a\t[rejected] (atomic)\n");
        assert_eq!(refused.others(), "nothing else was pushed");
    }
}
