//! What moves in the repositories: looked at by one thread, for everybody who looks on. It reads sizes and
//! times of files, never what is in them.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use workspace::Project;

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(80);
/// How many looks lie between two at what costs more: locks and branches.
const SELDOM: u32 = 8;

/// A repository at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// By run: what tells its journal from an older one, and whether an engine drives it.
    pub(super) runs: BTreeMap<String, Stamp>,
    /// Branches: what landed.
    pub(super) branches: Vec<(u64, i64)>,
    /// Who may decide.
    pub(super) approvers: Option<Stamp>,
    /// Milestones.
    pub(super) waves: Vec<(String, Stamp)>,
}

/// What tells a file from an older one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    length: u64,
    file: u64,
    /// Nanoseconds.
    pub(super) changed: i128,
    driven: bool,
    /// How much those have said that work right now.
    said: u64,
}

impl Stamp {
    /// The same without what is said meanwhile.
    pub(super) fn journal(self) -> Self {
        Self { said: 0, ..self }
    }
}

/// The last moment of every repository, and whoever waits for the next.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    /// How often somebody had more to read than there was time for.
    beats: AtomicU64,
    seen: Mutex<(u64, Vec<Moment>)>,
    beat: Condvar,
}

impl Pulse {
    fn lock(&self) -> MutexGuard<'_, (u64, Vec<Moment>)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the last change, and everything as it was then.
    pub(super) fn now(&self) -> (u64, Vec<Moment>) {
        self.lock().clone()
    }

    /// Waits until something moved after that number, or so long; is there something?
    pub(super) fn wait(&self, after: u64, most: Duration) -> bool {
        let waited = self
            .beat
            .wait_timeout_while(self.lock(), most, |seen| seen.0 == after);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// There is more to show, though nothing moved.
    pub(super) fn beat(&self) {
        self.beats.fetch_add(1, Ordering::SeqCst);
        self.lock().0 += 1;
        self.beat.notify_all();
    }

    pub(super) fn beats(&self) -> u64 {
        self.beats.load(Ordering::SeqCst)
    }

    /// Looks for ever.
    pub(super) fn watch(&self, all: &[Project]) {
        let mut looks = 0u32;
        loop {
            let seldom = looks.is_multiple_of(SELDOM);
            looks = looks.wrapping_add(1);
            let (_, before) = self.now();
            let nothing = Moment::default();
            let now: Vec<Moment> = all
                .iter()
                .enumerate()
                .map(|(at, project)| look(project, before.get(at).unwrap_or(&nothing), seldom))
                .collect();
            if now != before {
                let mut seen = self.lock();
                *seen = (seen.0 + 1, now);
                self.beat.notify_all();
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some(Stamp {
        length: metadata.len(),
        file: metadata.ino(),
        changed: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
        driven: false,
        said: 0,
    })
}

fn look(project: &Project, before: &Moment, seldom: bool) -> Moment {
    let mut now = Moment::default();
    for name in store::list(&project.journals()).unwrap_or_default() {
        let Some(mut stamp) = stamp(&name.journal(&project.journals())) else {
            continue;
        };
        let last = before.runs.get(name.as_str());
        stamp.driven = match last {
            Some(last) if !seldom => last.driven,
            _ => report::look::is_driven(project, name.as_str()),
        };
        if stamp.driven {
            let said = report::now::place(project, name.as_str()).metadata();
            stamp.said = said.map_or(0, |it| it.len());
        }
        now.runs.insert(name.to_string(), stamp);
    }
    if !seldom {
        now.approvers = before.approvers;
        now.branches.clone_from(&before.branches);
        now.waves.clone_from(&before.waves);
        return now;
    }
    now.approvers = stamp(&project.approvers());
    let git = project.top().join(".git");
    for place in ["HEAD", "packed-refs", "logs/HEAD", "refs/heads"] {
        let metadata = git.join(place).metadata().ok();
        now.branches
            .push(metadata.map_or((0, 0), |it| (it.len(), it.ctime())));
    }
    for name in milestones(project) {
        let folder = project.milestone(&name);
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let newest = files
            .filter_map(|file| stamp(&file.path()))
            .max_by_key(|it| it.changed);
        now.waves.push((name, newest.unwrap_or_default()));
    }
    now
}

/// The milestones of a repository, by name.
pub(super) fn milestones(project: &Project) -> Vec<String> {
    let folders = project.milestones().into_iter();
    let entries =
        folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let with = entries.filter(|entry| entry.path().join("milestone.toml").is_file());
    let mut names: Vec<String> = with
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}
