//! Walking a tree by open folders, with a few threads. Names come from folders that were
//! opened without following links, so a folder that is swapped for a link during the walk shows
//! nothing of where the link leads.

use super::{Files, beneath, rel, sayable};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Files of one folder are handed out in lots, so that one large folder feeds all of them.
const LOT: usize = 64;
const MAX_DEPTH: usize = 64;
const MAX_PATH: usize = 1_024;
const MAX_THREADS: usize = 8;

/// Files of one open folder.
pub(super) struct Lot {
    pub(super) folder: Arc<OwnedFd>,
    /// Each file's path from the backend's root, and where its name begins in it.
    pub(super) files: Vec<(String, usize)>,
}

enum Job {
    Folder(String),
    Files(Lot),
}

#[derive(Default)]
struct Jobs {
    waiting: Vec<Job>,
    working: usize,
}

struct Walk<'w> {
    files: &'w Files,
    jobs: Mutex<Jobs>,
    news: Condvar,
}

/// How many threads a search may use.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
}

impl Files {
    /// Hands all files below the folder `start` to `worker`, which each thread makes for itself.
    pub(super) fn walk<W: FnMut(Lot)>(
        &self,
        start: &str,
        threads: usize,
        worker: &(dyn Fn() -> W + Sync),
    ) {
        let walk = Walk {
            files: self,
            jobs: Mutex::new(Jobs {
                waiting: vec![Job::Folder(start.to_owned())],
                working: 0,
            }),
            news: Condvar::new(),
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| walk.work(worker()));
            }
            walk.work(worker());
        });
    }
}

impl Walk<'_> {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut each: impl FnMut(Lot)) {
        while let Some(job) = self.next() {
            // Counts down even when the worker panics: the others must not wait for ever.
            let _done = Done(self);
            match job {
                Job::Files(lot) => each(lot),
                Job::Folder(path) => self.list(&path, &mut each),
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut jobs = self.jobs();
        loop {
            if let Some(job) = jobs.waiting.pop() {
                jobs.working += 1;
                return Some(job);
            }
            if jobs.working == 0 {
                return None;
            }
            jobs = self.news.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, path: &str, each: &mut impl FnMut(Lot)) {
        // What cannot be opened is not there: it may have gone, or have become a link.
        let Some(rest) = rel::below(path, self.files.at.as_str()) else {
            return;
        };
        let Ok(folder) = self.files.root.folder(rest) else {
            return;
        };
        let Ok(entries) = Dir::read_from(&folder) else {
            return;
        };
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let deeper = rest.split('/').count() < MAX_DEPTH;
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if !sayable(name) || path.len() + 1 + name.len() > MAX_PATH {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
                kind = stat.map_or(kind, |stat| FileType::from_raw_mode(stat.st_mode));
            }
            let mut full = String::with_capacity(path.len() + 1 + name.len());
            if !path.is_empty() {
                full.push_str(path);
                full.push('/');
            }
            let cut = full.len();
            full.push_str(name);
            match kind {
                FileType::RegularFile => files.push((full, cut)),
                FileType::Directory if deeper => folders.push(full),
                _ => {}
            }
        }
        let folder = Arc::new(folder);
        let mut lots = Vec::new();
        while files.len() > LOT {
            lots.push(Lot {
                folder: Arc::clone(&folder),
                files: files.split_off(files.len() - LOT),
            });
        }
        if !folders.is_empty() || !lots.is_empty() {
            let mut jobs = self.jobs();
            jobs.waiting.extend(folders.into_iter().map(Job::Folder));
            jobs.waiting.extend(lots.into_iter().map(Job::Files));
            self.news.notify_all();
        }
        if !files.is_empty() {
            each(Lot { folder, files });
        }
    }
}

struct Done<'c, 'w>(&'c Walk<'w>);

impl Drop for Done<'_, '_> {
    fn drop(&mut self) {
        let mut jobs = self.0.jobs();
        jobs.working -= 1;
        if jobs.working == 0 && jobs.waiting.is_empty() {
            self.0.news.notify_all();
        }
    }
}

impl Lot {
    /// Opens one of the files.
    pub(super) fn open(&self, file: &(String, usize)) -> Result<OwnedFd, rustix::io::Errno> {
        use rustix::fd::AsFd;
        beneath::file_in(self.folder.as_fd(), &file.0[file.1..])
    }
}
