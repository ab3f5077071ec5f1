//! Where everything lies: the repository, and `.proofhouse/` in it.

use crate::config::Config;
use crate::error::Error;
use crate::git;
use crate::survey::{Commits, Survey};
use flow::{Source, Workflow};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A repository that Proofhouse works in.
#[derive(Debug, Clone)]
pub struct Project {
    repo: PathBuf,
    home: PathBuf,
    /// The repository's commits and refs, where they were asked for once for all.
    survey: Option<Arc<Survey>>,
}

/// The folder of `.proofhouse/` that holds worktrees of ours.
pub const WORKTREES: &str = "worktrees";

/// Where runs of a repository keep their records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// In the tree, to be committed with it.
    InTree,
    /// On refs of their own; git sees nothing of them in the tree.
    OnRef,
}

impl Records {
    /// What git should not see of `.proofhouse/`. Records in the tree stay committable, so that they can
    /// be audited on a fresh clone; then scratch and caches are ignored alone.
    fn ignored(self) -> &'static str {
        match self {
            Records::InTree => "work/\njournal/*.checkpoint.json\njournal/*.torn-*\n",
            Records::OnRef => {
                "# Records are on refs/proofhouse/records/; `proofhouse records push` takes them along.\n\
                 /.gitignore\n/work/\n/tasks/\n/journal/\n/evidence/\n"
            }
        }
    }
}

impl Project {
    /// The project that holds `dir`.
    pub fn find(dir: &Path) -> Result<Self, Error> {
        if !dir.is_dir() {
            return Err(Error::user(
                "no_such_folder",
                format!("{} is not a folder", dir.display()),
                "name a folder that exists",
            ));
        }
        let repo = git::top(dir)?;
        // A worktree of a wave is a place to work in, not a project of its own.
        let home = match repo.parent() {
            Some(parent) if parent.ends_with(Path::new(".proofhouse").join(WORKTREES)) => {
                parent.parent().map(Path::to_owned)
            }
            _ => None,
        };
        let home = home.unwrap_or_else(|| repo.join(".proofhouse"));
        Ok(Self {
            repo,
            home,
            survey: None,
        })
    }

    /// The top of the working tree: the repository's own, or the worktree that a run has to itself.
    pub fn repo(&self) -> &Path {
        &self.repo
    }

    /// `.proofhouse/`: one for the repository and all worktrees of its waves.
    pub fn home(&self) -> PathBuf {
        self.home.clone()
    }

    /// The folder that holds `.proofhouse/`: the repository's own working tree.
    pub fn top(&self) -> &Path {
        self.home.parent().unwrap_or(&self.repo)
    }

    /// Where a wave's run, or a wave itself, has its worktree.
    pub fn worktree(&self, name: &str) -> PathBuf {
        self.home.join(WORKTREES).join(name)
    }

    /// The project in the repository's own working tree, wherever a person stands.
    #[must_use]
    pub fn at_top(&self) -> Self {
        Self {
            repo: self.top().to_owned(),
            ..self.clone()
        }
    }

    /// The project with its commits and refs as they are now, for one look at so many runs. A few are asked for
    /// one by one, however long a history is.
    pub fn surveyed(&self, runs: usize) -> Result<Self, Error> {
        const FEW: usize = 8;
        let survey = match runs > FEW {
            true => Some(Arc::new(Survey::of(self.top())?)),
            false => None,
        };
        Ok(Self {
            survey,
            ..self.clone()
        })
    }

    /// Its commits and refs.
    pub fn commits(&self) -> Commits<'_> {
        Commits::new(self.top(), self.survey.as_deref())
    }

    /// The project as one run sees it: in its own worktree, as long as it has one.
    #[must_use]
    pub fn of_run(&self, run: &str) -> Self {
        let worktree = self.worktree(run);
        let repo = if worktree.join(".git").exists() {
            worktree
        } else {
            self.top().to_owned()
        };
        Self {
            repo,
            ..self.clone()
        }
    }

    /// The project as the factory's roles see it: its own folder, with task files and state store.
    #[must_use]
    pub fn of_factory(&self) -> Self {
        Self {
            repo: self.home.clone(),
            ..self.clone()
        }
    }

    /// Task folders of runs that keep theirs out of the tree.
    pub fn tasks(&self) -> PathBuf {
        self.home().join("tasks")
    }

    /// Where milestones lie: those that are worked on, and those that were moved out of the way.
    pub fn milestones(&self) -> [PathBuf; 2] {
        [self.home.join("milestones"), self.home.join("archive")]
    }

    /// The folder of a milestone, wherever it lies.
    pub fn milestone(&self, name: &str) -> PathBuf {
        let [here, away] = self.milestones().map(|all| all.join(name));
        match !here.exists() && away.exists() {
            true => away,
            false => here,
        }
    }

    /// The journals.
    pub fn journals(&self) -> PathBuf {
        self.home().join("journal")
    }

    /// Task folders of all runs but one, from the top of the tree: what lies there is another run's.
    pub fn task_folders_but(&self, run: &str) -> Vec<PathBuf> {
        let journals = self.journals();
        // One that cannot be read hides nothing, and says so to whoever asks for it by name.
        let others = store::list(&journals).unwrap_or_default().into_iter();
        others
            .filter(|name| name.as_str() != run)
            .filter_map(|name| First::of(&journals.join(format!("{name}.jsonl"))))
            .filter_map(|first| first.task)
            .filter(|task| task.is_relative() && !task.as_os_str().is_empty())
            .collect()
    }

    /// The runs that bring a run's finished work together with its branch, as their first records say.
    pub fn settled_by(&self, run: &str) -> Vec<String> {
        let journals = self.journals();
        let all = store::list(&journals).unwrap_or_default().into_iter();
        let settles = |name: &store::RunName| {
            let first = First::of(&journals.join(format!("{name}.jsonl")));
            first.is_some_and(|first| first.settles.as_deref() == Some(run))
        };
        let by = all.filter(|name| name.as_str() != run && settles(name));
        by.map(|name| name.to_string()).collect()
    }

    /// Where a run keeps its records, as its first record says.
    pub fn records_of(&self, run: &str) -> Records {
        match First::of(&self.journals().join(format!("{run}.jsonl"))) {
            Some(first) => first.records,
            None => Records::InTree,
        }
    }

    /// The evidence.
    pub fn vault(&self) -> Result<store::Vault, Error> {
        Ok(store::Vault::open(&self.home().join("evidence"))?)
    }

    /// Scratch space of a run: views, locks, answers that wait to be journaled.
    pub fn work(&self, run: &str) -> PathBuf {
        self.home().join("work").join(run)
    }

    /// Who may sign decisions, in OpenSSH's allowed_signers format.
    pub fn approvers(&self) -> PathBuf {
        self.home().join("approvers")
    }

    /// The text of the approvers file; none where nobody was ever listed. A file that is there and
    /// cannot be read, and one that was committed and is gone, are no reason to take a typed word
    /// for a signed one.
    pub fn read_approvers(&self) -> Result<Option<String>, Error> {
        let path = self.approvers();
        // A pipe would be waited for.
        let special = path.metadata().is_ok_and(|it| !it.is_file());
        let read = match special {
            true => Err(std::io::Error::other("it is no plain file")),
            false => std::fs::read_to_string(&path),
        };
        let error = match read {
            Ok(text) => return Ok(Some(text)),
            Err(error) => error,
        };
        if path.symlink_metadata().is_ok() {
            return Err(Error::user(
                "approvers_unreadable",
                format!(".proofhouse/approvers is there and cannot be read: {error}"),
                "mend its link or its mode; remove it, if a terminal is to be enough",
            ));
        }
        let home = self.home();
        let around = home.parent().unwrap_or(&home);
        let committed = git::git(
            around,
            &[
                "ls-tree",
                "--name-only",
                "HEAD",
                "--",
                ".proofhouse/approvers",
            ],
            &[],
        );
        // Without a commit there is nothing committed.
        if committed.is_ok_and(|listed| !listed.is_empty()) {
            return Err(Error::user(
                "approvers_missing",
                ".proofhouse/approvers is committed, and gone from the disk",
                "`git checkout HEAD -- .proofhouse/approvers`; or commit its removal, if a terminal is to be enough",
            ));
        }
        Ok(None)
    }

    /// The settings.
    pub fn config(&self) -> Result<Config, Error> {
        Config::load(&self.home().join("config.toml"))
    }

    /// Makes `.proofhouse/` where it is missing. An ignore file that a person has written stays.
    pub fn prepare(&self, records: Records) -> Result<(), Error> {
        let home = self.home();
        plain_folders(&home)?;
        std::fs::create_dir_all(&home).map_err(Error::io("create", &home))?;
        let ignore = home.join(".gitignore");
        let hides = |text: String| text == Records::OnRef.ignored();
        let found = std::fs::read_to_string(&ignore).map(hides).ok();
        // What others keep out of the tree stays out of it, whoever comes next.
        let shows = records == Records::InTree && !self.has_records_on_refs();
        if found.is_none() || (found == Some(true) && shows) {
            store::write_atomic(&ignore, records.ignored().as_bytes())?;
        }
        Ok(())
    }

    /// Does git see records in the tree that are not meant to be there? A sentence for the person whose
    /// run keeps them on a ref.
    pub fn seen_by_git(&self, records: Records) -> Option<&'static str> {
        let ignore = std::fs::read_to_string(self.home().join(".gitignore")).ok()?;
        let shows = records == Records::OnRef && ignore == Records::InTree.ignored();
        shows.then_some(
            "git sees its records in .proofhouse/, since waves and runs with --here keep theirs in the tree; mind what you `git add`",
        )
    }

    fn has_records_on_refs(&self) -> bool {
        let journals = store::list(&self.journals()).unwrap_or_default();
        let mut runs = journals.iter().map(ToString::to_string);
        runs.any(|run| self.records_of(&run) == Records::OnRef)
    }

    /// Makes the folder of worktrees where it is missing. Git sees nothing of it, whatever the person's
    /// own ignore files say.
    pub fn prepare_worktrees(&self) -> Result<(), Error> {
        let ignore = self.worktree(".gitignore");
        if !ignore.exists() {
            let worktrees = self.home().join(WORKTREES);
            std::fs::create_dir_all(&worktrees).map_err(Error::io("create", &worktrees))?;
            store::write_atomic(&ignore, b"*\n")?;
        }
        Ok(())
    }

    /// Every workflow's name: the user's own, then the built-in ones.
    pub fn workflow_names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.home().join("workflows"))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A workflow by name: the user's own folder first, then the built-in one.
    pub fn workflow(&self, name: &str) -> Result<Arc<Workflow>, Error> {
        let source = self.workflow_source(name)?;
        load(&source)
    }

    /// The workflow of a run that has begun with the one of this hash. A built-in workflow changes
    /// with the program and not by anybody's wish: such a run ends by the rules that it began with,
    /// where they were kept. A person's own folder is as they have it today.
    pub fn workflow_begun(
        &self,
        name: &str,
        hash: Option<&str>,
        instead_of_built_in: bool,
    ) -> Result<Arc<Workflow>, Error> {
        let mut source = self.workflow_source(name)?;
        let mut own = self.is_own_workflow(name);
        let is_it = |source: &Source| hash.is_some_and(|hash| source.hash() == hash);
        // A folder that came since, with a change of somebody's, says nothing of a run that began without it.
        if own
            && !instead_of_built_in
            && !is_it(&source)
            && let Ok(built_in) = built_in(name)
        {
            let kept = hash.is_some_and(|hash| self.kept_workflow(name, hash).is_some());
            if kept || is_it(&built_in) {
                (source, own) = (built_in, false);
            }
        }
        let former = hash.filter(|hash| !own && source.hash() != **hash);
        match former.and_then(|hash| self.kept_workflow(name, hash)) {
            Some(former) => Ok(former),
            None => load_begun(&source),
        }
    }

    /// Keeps a workflow's files in the vault under the workflow's own hash: whoever audits a run can
    /// take its steps again when the workflow has long changed.
    pub fn keep_workflow(&self, workflow: &Workflow) -> Result<(), Error> {
        let source = self.workflow_source(&workflow.name)?;
        // Somebody may have changed it since it was loaded: then it is not the one.
        if source.hash() == workflow.hash {
            let name = format!("workflow {}", workflow.name);
            self.vault()?.put(&name, &source.bytes())?;
        }
        Ok(())
    }

    /// A workflow that was kept, by its hash.
    pub fn kept_workflow(&self, name: &str, hash: &str) -> Option<Arc<Workflow>> {
        let bytes = self.vault().ok()?.get(hash).ok()?;
        let source = Source::from_bytes(name, &bytes)?;
        // Its gates are never run again, so settings that checks no longer know do no harm.
        flow::load_begun(&source, &|_, _| Ok(())).ok().map(Arc::new)
    }

    /// Is it a folder of the person's?
    fn is_own_workflow(&self, name: &str) -> bool {
        !name.contains(['/', '.']) && self.home().join("workflows").join(name).is_dir()
    }

    /// Is it a folder of the person's that is taken in the place of a built-in workflow?
    pub fn stands_in_for_built_in(&self, name: &str) -> bool {
        self.is_own_workflow(name) && flow::built_in(name).is_some()
    }

    /// The files of a workflow.
    pub fn workflow_source(&self, name: &str) -> Result<Source, Error> {
        if self.is_own_workflow(name) {
            return read_source(name, &self.home().join("workflows").join(name));
        }
        built_in(name).map_err(|mut error| {
            let own = self.workflow_names();
            if !own.is_empty() {
                error.mend = format!("{}; yours: {}", error.mend, own.join(", "));
            }
            error
        })
    }
}

/// No text of a workflow is so long; what is may be a device without an end.
const LARGEST_FILE: u64 = 4 << 20;

/// What a journal's first record says of places. It never changes, so it is read once.
#[derive(Clone)]
struct First {
    task: Option<PathBuf>,
    records: Records,
    settles: Option<String>,
}

impl First {
    fn of(journal: &Path) -> Option<Self> {
        static READ: Mutex<BTreeMap<PathBuf, First>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(journal) {
            return Some(known.clone());
        }
        let mut line = String::new();
        let file = std::fs::File::open(journal).ok()?;
        BufReader::new(file).read_line(&mut line).ok()?;
        let said: serde_json::Value = serde_json::from_str(&line).ok()?;
        let body = &said["body"];
        let first = First {
            task: body["task"].as_str().map(PathBuf::from),
            records: match body["own_tree"].is_object() {
                true => Records::OnRef,
                false => Records::InTree,
            },
            settles: body["own_tree"]["settles"].as_str().map(str::to_owned),
        };
        read.insert(journal.to_owned(), first.clone());
        Some(first)
    }
}

/// A built-in workflow's files.
pub fn built_in(name: &str) -> Result<Source, Error> {
    flow::built_in(name).ok_or_else(|| {
        let names: Vec<&str> = flow::built_in_names().collect();
        Error::user(
            "unknown_workflow",
            format!("there is no workflow `{name}`"),
            format!(
                "built in: {}; your own goes into .proofhouse/workflows/NAME/",
                names.join(", ")
            ),
        )
    })
}

/// Loads a workflow with the checks that this engine has.
pub fn load(source: &Source) -> Result<Arc<Workflow>, Error> {
    Ok(Arc::new(flow::load(source, judge_of(source))?))
}

/// The same for a run that has begun. Whoever looks at a run needs its workflow, several times in one
/// command; the same texts are read once.
fn load_begun(source: &Source) -> Result<Arc<Workflow>, Error> {
    static READ: Mutex<BTreeMap<String, Arc<Workflow>>> = Mutex::new(BTreeMap::new());
    let read = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    let key = format!("{} {}", source.name, source.hash());
    if let Some(known) = read().get(&key) {
        return Ok(known.clone());
    }
    let workflow = Arc::new(flow::load_begun(source, judge_of(source))?);
    read().insert(key, workflow.clone());
    Ok(workflow)
}

/// Who judges a workflow's settings of checks. A built-in one's were judged when this program was
/// tested; to do so at every start took longer than all else that a short command does.
fn judge_of(source: &Source) -> &'static flow::CheckLint<'static> {
    match flow::built_in(&source.name).as_ref() == Some(source) {
        true => &|_, _| Ok(()),
        false => &known,
    }
}

/// A text, as [`flow::CheckLint`] wants it: it becomes a problem of the workflow.
fn known(name: &str, with: &serde_json::Value) -> Result<(), String> {
    checks::lint(name, with).map_err(|why| why.to_string())
}

/// The same as [`load`], with every problem on its own, and judged whoever wrote it.
pub fn lint(source: &Source) -> Result<Arc<Workflow>, flow::LoadError> {
    Ok(Arc::new(flow::load(source, &known)?))
}

/// The texts of a workflow folder.
pub fn read_source(name: &str, folder: &Path) -> Result<Source, Error> {
    let mut files = BTreeMap::new();
    for path in store::walk(folder, &|_| false)? {
        let full = folder.join(&path);
        let found = std::fs::metadata(&full).map_err(Error::io("read", &full))?;
        if !found.is_file() || found.len() > LARGEST_FILE {
            return Err(Error::user(
                "malformed_workflow",
                format!(
                    "{} is no file of at most {LARGEST_FILE} bytes",
                    full.display()
                ),
                "a workflow folder holds UTF-8 text files only",
            ));
        }
        let text = std::fs::read_to_string(&full).map_err(|error| {
            Error::user(
                "malformed_workflow",
                format!("could not read {}: {error}", full.display()),
                "a workflow folder holds UTF-8 text files only",
            )
        })?;
        files.insert(path.display().to_string(), text);
    }
    Ok(Source {
        name: name.to_owned(),
        files,
    })
}

/// Writes a file of the project's, whole or not at all.
pub fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    Ok(store::write_atomic(path, text.as_bytes())?)
}

/// Refuses links in the place of folders that are written to: a change can bring one along, and what is written
/// through it lands wherever it leads.
fn plain_folders(home: &Path) -> Result<(), Error> {
    const WRITTEN: [&str; 7] = [
        "journal",
        "evidence",
        "tasks",
        "work",
        WORKTREES,
        "milestones",
        "archive",
    ];
    no_link(home, home)?;
    for name in WRITTEN {
        no_link(home, &home.join(name))?;
    }
    let evidence = std::fs::read_dir(home.join("evidence"));
    let mut pieces = evidence.into_iter().flatten().flatten();
    pieces.try_for_each(|one| no_link(home, &one.path()))
}

/// Refuses a path that leads through a link below `home`, or that is one.
pub(crate) fn no_link(home: &Path, path: &Path) -> Result<(), Error> {
    let below = path.ancestors().take_while(|one| one.starts_with(home));
    for place in below {
        let found = place.symlink_metadata();
        if found.is_ok_and(|found| found.is_symlink()) {
            return Err(Error::user(
                "linked_folder",
                format!(
                    "{} is a link, and what is written there would land elsewhere",
                    place.display()
                ),
                "look where it leads and who made it, then remove it; a commit may have brought it",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_workflow_has_settings_that_its_checks_take() {
        for name in flow::built_in_names() {
            let linted = lint(&built_in(name).unwrap());
            assert!(linted.is_ok(), "{name}: {:?}", linted.err());
        }
    }

    #[test]
    fn a_changed_built_in_workflow_is_judged_again() {
        let mut source = built_in("phase").unwrap();
        let text = source.files.get_mut("workflow.toml").unwrap();
        assert!(text.contains("check = \""));
        *text = text.replacen("check = \"", "check = \"no_such_", 1);
        assert!(load(&source).is_err());
    }
}
