//! What a run made in a tree of its own: to be looked at, landed on a branch as one commit, or set
//! aside. It refuses to land what is not done, to touch a file that a person has changed, and to throw
//! away anything that is in no commit.

mod cleared;
mod named;
mod request;
mod settle;
mod shape;

pub use cleared::LANDING;
pub use request::request;
pub(crate) use settle::{Finished, again};
pub use settle::{Settling, settle};
pub use shape::Shape;

use crate::on_commit::{Meanwhile, OnCommit};
use crate::session;
use cleared::clear_landing;
use flow::Flow;
use kernel::Machine;
use kernel::event::{OwnTree, RunStarted};
use kernel::machine::Activity;
use kernel::outcome::{CheckResult, Verdict, Worth};
use named::ByGates;
use report::begun::{Discarded, Landed};
use report::fate::{self, Fate};
use report::landed;
use report::look::{Peek, peek_run};
use report::work::{Work, works_here};
use sandbox::Cancel;
use shape::{Onto, has_a_name};
use std::path::Path;
use workspace::context::validation_commands;
use workspace::error::EngineError;
use workspace::git::{self, git, text};
use workspace::lock::{self, Lock};
use workspace::project::Project;
use workspace::survey::{EVIDENCE, Within};
use workspace::worktree::{self, Merged, Removal};

/// A run that has a tree of its own.
fn own(project: &Project, run: &str) -> Result<(Peek<Flow>, RunStarted, OwnTree), EngineError> {
    let peek = peek_run(project, run)?;
    let started = peek.machine.started().cloned();
    let own = started
        .as_ref()
        .and_then(|started| started.own_tree.clone());
    match (started, own) {
        (
            Some(_),
            Some(OwnTree {
                milestone: Some(of),
                ..
            }),
        ) => Err(EngineError::user(
            "of_a_wave",
            format!("`{run}` is a task of the milestone `{of}`, whose wave merges what it made"),
            format!("`proofhouse wave run {of}` goes on with it, `proofhouse diff {run}` shows it"),
        )),
        (Some(started), Some(own)) => Ok((peek, started, own)),
        _ => Err(works_here(run)),
    }
}

/// The lock of a run that is there: a name that nobody has leaves nothing behind.
fn held(project: &Project, run: &str) -> Result<Lock, EngineError> {
    let project = project.at_top();
    report::look::run_name(&project, run)?;
    session::lock(&project, run)
}

/// How a run's work is to land.
#[derive(Debug, Clone, Default)]
pub struct Landing {
    /// The branch; none: the one that the person was on when the run began.
    pub onto: Option<String>,
    /// The commit's message; none: from what was asked for.
    pub message: Option<String>,
    pub shape: Shape,
}

/// A run that is done, and the branch that its work is to land on.
struct Ready {
    project: Project,
    run: String,
    peek: Peek<Flow>,
    started: RunStarted,
    own: OwnTree,
    work: Work,
    branch: String,
    /// The branch's last commit.
    head: String,
}

impl Ready {
    fn of(project: &Project, run: &str, onto: &Option<String>) -> Result<Self, EngineError> {
        let project = project.at_top();
        let repo = project.repo();
        let (peek, started, own) = own(&project, run)?;
        let status = peek.machine.status();
        if status.activity != Activity::Done {
            return Err(EngineError::user(
                "not_done",
                format!(
                    "`{run}` stands in `{}`, and only what is done can land",
                    status.state
                ),
                match status.activity {
                    Activity::Stopped => format!(
                        "it has ended; `proofhouse diff {run}` shows what it made, which `refs/proofhouse/{run}` keeps"
                    ),
                    _ => format!("`proofhouse status {run}` shows what it waits for"),
                },
            ));
        }
        let work = Work::since(&project, &peek, &started, &own.base)?;
        let branch = branch(onto, &own, &project)?;
        let head = worktree::resolve(repo, &format!("refs/heads/{branch}"))?.ok_or_else(|| {
            EngineError::user(
                "unknown_branch",
                format!("there is no branch `{branch}`"),
                "name one with `--onto BRANCH`",
            )
        })?;
        if let Some(Fate::Landed {
            commit,
            branch,
            through: Some(by),
        }) = Fate::of(&project, run, &peek.machine)
        {
            return Err(EngineError::user(
                "landed_already",
                format!(
                    "`{run}` is on `{branch}` already, as {}, through `{by}`",
                    &commit[..12]
                ),
                "nothing is to be done",
            ));
        }
        let commits = project.commits();
        for named in commits.named(run, Within::Commit(&head), Some(&own.base))? {
            // One that was amended since, or that somebody else wrote, is not its work.
            if landed::holds(&project, run, &work, &named)? {
                let commit = &named.commit[..12];
                return Err(EngineError::user(
                    "landed_already",
                    format!("`{run}` is on `{branch}` already, as {commit}"),
                    "nothing is to be done",
                ));
            }
        }
        Ok(Self {
            run: run.to_owned(),
            peek,
            started,
            own,
            work,
            branch,
            head,
            project,
        })
    }

    /// What was asked for, in the run that was settled where it settles one.
    fn asked_for(&self) -> String {
        let (mut settles, mut deep) = (self.own.settles.clone(), 8);
        let mut said = message(&self.peek, &self.started);
        while let Some(Ok((peek, started, own))) = settles
            .filter(|_| deep > 0)
            .map(|run| self::own(&self.project, run.as_str()))
        {
            said = message(&peek, &started);
            (settles, deep) = (own.settles, deep - 1);
        }
        said
    }

    /// The message of a commit that holds the work, with the trailer that names run and head.
    fn message(&self, said: &Option<String>) -> String {
        let said = said.clone();
        let said = said.unwrap_or_else(|| self.asked_for());
        let head = &self.peek.head;
        let evidence = match self.peek.machine.worth() {
            worth if worth.is_empty() => String::new(),
            worth => format!("{EVIDENCE}: {worth}\n"),
        };
        format!(
            "{}\n\n{evidence}{}: {}@{}:{}\n",
            said.trim_end(),
            git::TRAILER,
            self.run,
            head.seq,
            head.hash
        )
    }

    /// Makes the commit that the branch is to step to.
    fn compose(&self, how: &Landing) -> Result<String, EngineError> {
        let repo = self.project.repo();
        let run = &self.run;
        let moved = self.head != self.own.base;
        // Commits as they are have their names.
        if moved || how.shape != Shape::KeepCommits {
            has_a_name(repo)?;
        }
        let scratch = self.project.work(run);
        std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        let index = scratch.join("land-index");
        let made = self.work.tree_of(&self.project, &self.work.tip, &index)?;
        // Where it was landed before and taken up again, the branch has what it was then.
        let since = landed::earlier(&self.project, run, &self.work, &self.head)?;
        let since = since.as_ref().unwrap_or(&self.work.base);
        let began = self.work.tree_of(&self.project, since, &index)?;
        if made == began {
            return Err(EngineError::user(
                "nothing_to_land",
                format!("`{run}` changed nothing"),
                "nothing is to be done; `proofhouse discard` tidies up",
            ));
        }
        let tree = match moved {
            false => made.clone(),
            true => merged((repo, &index), run, &self.head, &began, &made)
                .map_err(|error| self.of_edits(error))?,
        };
        let there = format!("{}^{{tree}}", self.head);
        if text(&git(repo, &["rev-parse", &there], &[])?) == tree {
            return Err(EngineError::user(
                "nothing_to_land",
                format!(
                    "what `{run}` changed is on `{}` already, to the letter",
                    self.branch
                ),
                format!("nothing is to be done; `proofhouse discard {run}` tidies up"),
            ));
        }
        let onto = Onto {
            repo,
            index: &index,
            run,
            head: &self.head,
            base: since,
            tip: &self.work.tip,
            made: &made,
            tree: &tree,
        };
        let message = self.message(&how.message);
        let commit = match how.shape {
            Shape::One => onto.one(&message)?,
            Shape::Merge => onto.merge(&message)?,
            Shape::KeepCommits => onto.keep_commits(&message)?,
            Shape::Rebase => onto.rebase(&message, &|commit| {
                self.work.tree_of(&self.project, commit, &index)
            })?,
        };
        Ok(commit)
    }

    /// A branch that did not move contradicts only what was in no commit when the run began.
    fn of_edits(&self, error: EngineError) -> EngineError {
        let before = self.project.commits().parent(&self.own.base);
        let with_edits = git::edits_ref(&self.run);
        let with_edits = worktree::resolve(self.project.repo(), &with_edits);
        let edits = with_edits.ok().flatten().as_ref() == Some(&self.own.base);
        if !edits || before.ok().flatten().as_ref() != Some(&self.head) {
            return error;
        }
        let both = worktree::differing(self.project.repo(), &self.head, &self.own.base);
        EngineError::user(
            &error.code,
            format!(
                "`{}` began with edits of yours that are in no commit yet, in {}",
                self.run,
                both.unwrap_or_default().join(", ")
            ),
            "commit them, and land again",
        )
    }

    /// Proves what was composed, if the branch has moved and it is not to the letter what was proven.
    fn together(&self, commit: &str) -> Result<Together, EngineError> {
        let index = self.project.work(&self.run).join("land-index");
        let tree = self.project.commits().tree(commit)?;
        let proven = self.work.tree_of(&self.project, &self.work.tip, &index)?;
        match self.head != self.own.base && tree != proven {
            true => self.prove(commit),
            false => Ok(Together::default()),
        }
    }

    /// Refuses what git would refuse in the end, before anything is proven: nobody waits for a suite to
    /// hear that their tree is in the way.
    fn is_free(&self, commit: &str) -> Result<(), EngineError> {
        let repo = self.project.repo();
        if worktree::branch(repo)?.as_deref() != Some(self.branch.as_str()) {
            return Ok(());
        }
        let index = self.project.work(&self.run).join("land-way-index");
        let would = worktree::would_step(repo, &index, &self.head, commit)?;
        if would {
            return Ok(());
        }
        let edited = git::edited(repo)?;
        let mut both = worktree::differing(repo, &self.head, commit)?;
        both.retain(|name| edited.contains(name));
        // What git ignores is in no list.
        let files = match both.is_empty() {
            true => "what git ignores".to_owned(),
            false => both.join(", "),
        };
        Err(in_the_way(&files))
    }

    /// Runs the run's own commands on what came of a merge, and those of its own gates: each side was
    /// proven, and both together were not.
    fn prove(&self, commit: &str) -> Result<Together, EngineError> {
        let (project, run, started) = (&self.project, &self.run, &self.started);
        let mut commands = validation_commands(&project.config()?, started);
        let ByGates {
            commands: named,
            suites,
        } = ByGates::of(&self.peek.machine);
        for named in named {
            if !commands.contains(&named) {
                commands.push(named);
            }
        }
        let worktree = format!("{LANDING}{run}");
        let place = OnCommit {
            project,
            worktree: &worktree,
            scratch: &project.work(run),
            waived_by: started.sandbox_waived_by.as_deref(),
        };
        project.prepare_worktrees()?;
        let (before, cancel) = (Some(self.own.base.as_str()), Cancel::new());
        let meanwhile = Meanwhile {
            base: &self.own.base,
            head: &self.head,
            work: &self.work.tip,
        };
        let results = place.told_apart(commit, &meanwhile, &|commit| {
            let mut all = place.run(commit, before, &commands, &cancel)?;
            // Gates that were told nothing found the suite by themselves.
            if !suites.is_empty() || commands.is_empty() {
                all.extend(place.run_suites(commit, before, &suites, &cancel)?);
            }
            Ok(all)
        });
        let cleared = clear_landing(project, run);
        // What kept it from being proven comes first.
        let results = results?;
        cleared?;
        let reasons = |of: &dyn Fn(&CheckResult) -> bool| -> Vec<String> {
            let of = results.iter().filter(|result| of(result));
            of.map(|result| format!("{}: {}", result.check, result.reason))
                .collect()
        };
        let failed = reasons(&|result| result.verdict != Verdict::Pass);
        let could_not = |result: &CheckResult| result.verdict == Verdict::CouldNotRun;
        let found = commands.is_empty() && suites.is_empty();
        if found && results.iter().all(could_not) {
            return Err(EngineError::user(
                "nothing_to_prove_with",
                format!(
                    "the branch has moved since `{run}` began, and no command could judge both together: {}",
                    failed.join("; ")
                ),
                "set `[checks] commands` in .proofhouse/config.toml, and land again",
            ));
        }
        commands.extend(suites);
        if found {
            commands.extend(results.iter().map(|result| result.check.clone()));
        }
        if failed.is_empty() {
            let weak = reasons(&|result| Worth::of(result) == Some(Worth::Weak));
            return Ok(Together { commands, weak });
        }
        Err(EngineError::user(
            "land_unproven",
            format!(
                "the branch has moved since `{run}` began, and together they do not pass: {}",
                failed.join("; ")
            ),
            "nothing was changed; start anew from the branch, or mend the branch and land again",
        ))
    }
}

/// What the run's own commands said of the work and a branch that has moved.
#[derive(Default)]
struct Together {
    commands: Vec<String>,
    /// What nothing shows that it could have failed.
    weak: Vec<String>,
}

/// Puts what a run made onto a branch.
pub fn land(project: &Project, run: &str, how: &Landing) -> Result<Landed, EngineError> {
    report::look::run_name(&project.at_top(), run)?;
    session::finish(&project.at_top(), run)?;
    let _lock = held(project, run)?;
    // Who lands meanwhile would move the branch under what is proven here.
    let _turn = lock::turn(&project.at_top().work(run).with_file_name(".landing"))?;
    let ready = Ready::of(project, run, &how.onto)?;
    let commit = ready.compose(how)?;
    ready.is_free(&commit)?;
    let together = ready.together(&commit)?;
    let (project, head) = (&ready.project, &ready.head);
    let files = worktree::differing(project.repo(), head, &commit)?.len();
    step(project, &ready.branch, head, &commit)?;
    let kept = tidy(project, run, &ready.work.tip)?;
    // With it the work has landed that it settled.
    if let Some(settled) = &ready.own.settles
        && let Ok(_lock) = session::lock(project, settled.as_str())
        && let Ok(work) = Work::of(project, settled.as_str())
    {
        tidy(project, settled.as_str(), &work.tip)?;
    }
    Ok(Landed {
        run: run.to_owned(),
        branch: ready.branch,
        commit,
        files,
        proven_together: together.commands,
        weak_together: together.weak,
        worktree_kept: kept,
    })
}

fn branch(onto: &Option<String>, own: &OwnTree, project: &Project) -> Result<String, EngineError> {
    if let Some(branch) = onto.as_ref().or(own.target.as_ref()) {
        return Ok(branch.clone());
    }
    worktree::branch(project.repo())?.ok_or_else(|| {
        EngineError::user(
            "no_branch",
            "no branch was checked out when the run began, and none is now",
            "name one with `--onto BRANCH`",
        )
    })
}

/// What both the branch and the run made, if they do not contradict each other.
fn merged(
    (repo, index): (&Path, &Path),
    run: &str,
    head: &str,
    began: &str,
    made: &str,
) -> Result<String, EngineError> {
    match worktree::merge_trees(repo, index, [began, &format!("{head}^{{tree}}"), made])? {
        Merged::Tree(tree) => Ok(tree),
        Merged::Conflict { files, .. } => Err(EngineError::user(
            "land_conflict",
            format!(
                "the branch has moved, and contradicts `{run}` in {}",
                files.join(", ")
            ),
            format!(
                "`proofhouse land {run} --settle` lets an agent bring both together, and asks you again; or merge by hand: the work is `{}`",
                git::run_ref(run)
            ),
        )),
    }
}

fn in_the_way(files: &str) -> EngineError {
    EngineError::user(
        "tree_in_the_way",
        format!("your tree has changes where the work is to land: {files}"),
        "commit or stash them, and land again; nothing was changed",
    )
}

/// Moves the branch by one commit. A branch that is checked out in the person's tree moves with its
/// files, by git's own rules.
fn step(project: &Project, branch: &str, from: &str, to: &str) -> Result<(), EngineError> {
    let repo = project.repo();
    if worktree::branch(repo)?.as_deref() == Some(branch) {
        return worktree::fast_forward(project, to).map_err(|error| {
            // Git names them, each in a line that begins with a tab.
            let files = error
                .what
                .lines()
                .filter_map(|line| line.strip_prefix('\t'));
            let files: Vec<&str> = files.collect();
            let files = match files.is_empty() {
                true => error.what.clone(),
                false => files.join(", "),
            };
            in_the_way(&files)
        });
    }
    let name = format!("refs/heads/{branch}");
    let elsewhere = text(&git(repo, &["worktree", "list", "--porcelain"], &[])?);
    if elsewhere
        .lines()
        .any(|line| line == format!("branch {name}"))
    {
        return Err(EngineError::user(
            "branch_checked_out",
            format!("`{branch}` is checked out in another worktree, which would be left behind"),
            "land from there with `--repo PATH`, or name another branch",
        ));
    }
    git(repo, &["update-ref", &name, to, from], &[]).map(drop)
}

/// Removes the run's worktree. Why it stays, if it does.
fn tidy(project: &Project, run: &str, tip: &str) -> Result<Option<String>, EngineError> {
    let dir = project.worktree(run);
    let kept = match dir.exists() {
        false => None,
        true => match worktree::remove(project.repo(), &dir, tip)? {
            Removal::Removed => None,
            Removal::Kept(why) => Some(why),
        },
    };
    // Git's records of worktrees of ours that somebody else has removed.
    worktree::prune(project)?;
    Ok(kept)
}

/// What was asked for, whole; nothing where the workflow has no field for it.
fn sentence(peek: &Peek<Flow>) -> Option<&str> {
    let task = peek.machine.workflow().task.as_ref()?;
    let said = peek.machine.fields().get(task.request.as_ref()?)?.trim();
    (!said.is_empty()).then_some(said)
}

/// A message of what was asked for.
fn message(peek: &Peek<Flow>, started: &RunStarted) -> String {
    match sentence(peek) {
        Some(said) => titled(said),
        None => format!("{}: {}", started.workflow, started.run),
    }
}

/// What was said as a message: a short first line, and all of it below where that is more.
pub(crate) fn titled(said: &str) -> String {
    let first = said.lines().next().unwrap_or_default();
    if said == first && said.chars().count() <= 72 {
        return said.to_owned();
    }
    let mut subject: String = first.chars().take(69).collect();
    if first.chars().count() > 69 {
        let end = subject.rfind(' ').unwrap_or(subject.len());
        subject.truncate(end);
        subject.push_str("...");
    }
    format!("{subject}\n\n{said}")
}

/// Sets a run that is over aside: its worktree goes, and a ref keeps everything that was in it.
pub fn discard(project: &Project, run: &str) -> Result<Discarded, EngineError> {
    let project = project.at_top();
    let _lock = held(&project, run)?;
    let (peek, ..) = own(&project, run)?;
    let status = peek.machine.status();
    if !matches!(status.activity, Activity::Done | Activity::Stopped) {
        return Err(EngineError::user(
            "not_over",
            format!("`{run}` is not over: it stands in `{}`", status.state),
            format!("stop it first: `proofhouse decide {run} stop --because '...'`"),
        ));
    }
    // One that was killed left it.
    clear_landing(&project, run)?;
    let place = project.of_run(run);
    let scratch = project.work(run);
    let mut commit = peek.machine.last_commit().map(str::to_owned);
    let removed = project.worktree(run).exists();
    if removed {
        std::fs::create_dir_all(&scratch).map_err(EngineError::io("create", &scratch))?;
        let turns = scratch.join(git::TURNS);
        let index = scratch.join("discard-index");
        let subject = fate::set_aside(run);
        let spot = git::Spot {
            repo: place.repo(),
            run,
            turns: &turns,
            scratch: &index,
        };
        let made = git::checkpoint(spot, git::Content::Live, &subject, &peek.head)?;
        if let Some(why) = tidy(&project, run, &made)? {
            return Err(EngineError::user(
                "worktree_held",
                format!("the worktree of `{run}` stays: {why}"),
                "look into it; what is in it is yours",
            ));
        }
        commit = Some(made);
    }
    Ok(Discarded {
        run: run.to_owned(),
        kept_by: git::run_ref(run),
        commit: commit.unwrap_or_default(),
        removed,
    })
}
