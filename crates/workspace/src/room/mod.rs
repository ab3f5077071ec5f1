//! Rooms: where the commands run that judge. Each has a fresh layer over a checkout of ours of exactly
//! the tree that is judged, at the repository's own path, so that settings and messages with whole paths
//! mean the same inside. What a command writes is thrown away with its room; what it writes over judged
//! files fails it.
//!
//! The judged files are looked at afterwards: an overlay remembers every one that was ever opened for
//! writing. One that was, and is as it was, may have been another in between; then the command is run
//! once more in a room where that file cannot be written at all, and only that run counts.

mod checkout;
mod enter;
mod git;
mod include;
mod left;
mod python;
#[cfg(test)]
mod tests;

pub(crate) use include::for_agents;
pub use include::{Include, Included, laid_in};
pub(crate) use python::Environment;

use crate::config::RoomSettings;
use crate::error::Error;
use crate::project::Project;
use checkout::Checkout;
use checks::{BoxError, InRoom, RoomError, TreeNow};
use enter::{Entered, How};
use left::Left;
use sandbox::{Cancel, Launch, LaunchError};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use store::{Node, Tree};

/// Whether this machine has refused an overlay to this process: it will refuse the next one, too.
static NO_OVERLAYS: AtomicBool = AtomicBool::new(false);

/// Lists the files of the tree that is judged, from its top.
pub type ListFiles<'a> = dyn Fn() -> Result<Vec<PathBuf>, Error> + 'a;

/// The rooms of one gate: all of its commands judge the same tree.
pub struct Rooms<'a> {
    /// Where the room is, for a command.
    at: PathBuf,
    /// Where layers of rooms are put.
    scratch: PathBuf,
    settings: RoomSettings,
    source: Source<'a>,
    name: Option<String>,
    judged: OnceCell<Tree>,
    lower: OnceCell<Checkout>,
    include: OnceCell<Vec<Include>>,
    /// Files that a command had opened for writing and left as they were.
    fixed: RefCell<BTreeSet<PathBuf>>,
    number: Cell<u32>,
    /// One way to have a room, whatever the machine can.
    #[cfg(test)]
    always: Cell<Option<How>>,
}

/// What the rooms are over.
enum Source<'a> {
    /// A tree that others may change: a checkout of it is made.
    Live {
        files: &'a ListFiles<'a>,
        trees: PathBuf,
        project: Project,
    },
    /// A folder of ours that stays as it is.
    Made {
        folder: PathBuf,
        files: Vec<PathBuf>,
    },
}

impl<'a> Rooms<'a> {
    /// Rooms over the tree at `project.repo()`, which has these files.
    pub fn of(
        project: &Project,
        settings: &RoomSettings,
        scratch: &Path,
        files: &'a ListFiles<'a>,
    ) -> Self {
        let trees = trees(project);
        let source = Source::Live {
            files,
            trees,
            project: project.clone(),
        };
        Self::new(project.repo(), scratch, settings.clone(), source)
    }

    /// Rooms over a folder of ours that stays as it is while they are used.
    pub fn over_folder(
        folder: &Path,
        settings: &RoomSettings,
        scratch: &Path,
        tree: TreeNow,
    ) -> Self {
        let source = Source::Made {
            folder: folder.to_owned(),
            files: tree.files.keys().map(PathBuf::from).collect(),
        };
        let rooms = Self::new(folder, scratch, settings.clone(), source);
        rooms.named(tree.hash)
    }

    /// The same, with another name for the tree in what is kept than its hash.
    #[must_use]
    pub fn named(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    fn new(at: &Path, scratch: &Path, settings: RoomSettings, source: Source<'a>) -> Self {
        Self {
            at: at.to_owned(),
            scratch: scratch.join("rooms"),
            settings,
            source,
            name: None,
            judged: OnceCell::new(),
            lower: OnceCell::new(),
            include: OnceCell::new(),
            fixed: RefCell::default(),
            number: Cell::new(0),
            #[cfg(test)]
            always: Cell::new(None),
        }
    }

    /// The files of the judged tree that are not any more what was judged; none if nothing was.
    pub fn changed_since(&self) -> Result<Vec<String>, Error> {
        let (Some(judged), Source::Live { .. }) = (self.judged.get(), &self.source) else {
            return Ok(Vec::new());
        };
        let now = Tree::of(
            &self.at,
            judged
                .files
                .keys()
                .filter_map(|name| store::decode_path(name)),
        )?;
        let changes = judged.diff(&now).into_iter();
        Ok(changes.map(|change| change.path).collect())
    }

    /// The files that came since: nobody has judged them.
    pub fn come_since(&self) -> Result<Vec<PathBuf>, Error> {
        let (Some(judged), Source::Live { files, .. }) = (self.judged.get(), &self.source) else {
            return Ok(Vec::new());
        };
        let mut new = files()?;
        new.retain(|path| !judged.files.contains_key(&store::encode_path(path)));
        Ok(new)
    }

    /// What is laid into each room beside the tree.
    pub fn included(&self) -> Result<&[Include], Error> {
        if let Some(include) = self.include.get() {
            return Ok(include);
        }
        let include = match &self.source {
            Source::Live { project, .. } => {
                let tree = include::names(self.judged()?);
                include::found(project, self.settings.include.as_deref(), &tree)
            }
            // What is in a folder of ours is the business of whoever made it.
            Source::Made { .. } => Vec::new(),
        };
        Ok(self.include.get_or_init(|| include))
    }

    fn judged(&self) -> Result<&Tree, Error> {
        if let Some(tree) = self.judged.get() {
            return Ok(tree);
        }
        let tree = match &self.source {
            Source::Live { files, .. } => Tree::of(&self.at, files()?)?,
            Source::Made { folder, files } => Tree::of(folder, files)?,
        };
        Ok(self.judged.get_or_init(|| tree))
    }

    fn lower(&self) -> Result<&Checkout, Error> {
        if let Some(lower) = self.lower.get() {
            return Ok(lower);
        }
        let judged = self.judged()?;
        let lower = match &self.source {
            Source::Live { trees, .. } => Checkout::of(trees, &self.at, judged)?,
            Source::Made { folder, .. } => Checkout::made(folder),
        };
        Ok(self.lower.get_or_init(|| lower))
    }

    fn enter(&self, launch: &Launch) -> Result<Entered, Error> {
        let number = self.number.get();
        self.number.set(number + 1);
        let place = self.scratch.join(number.to_string());
        let overlays = sandbox::has_mounts() && !NO_OVERLAYS.load(Ordering::Relaxed);
        let how = match launch.policy.is_some() && overlays {
            true => How::Overlay,
            false => How::Copy,
        };
        #[cfg(test)]
        let how = self.always.get().unwrap_or(how);
        let room = enter::Room {
            at: &self.at,
            lower: &self.lower()?.folder,
            include: self.included()?,
            fixed: &self.fixed.borrow(),
            judged: self.judged()?,
        };
        room.enter(&place, launch, how)
    }

    fn may_copy(&self, refused: &Entered) -> bool {
        #[cfg(test)]
        if self.always.get().is_some() {
            return false;
        }
        refused.how == How::Overlay
    }

    fn once(
        &self,
        launch: &Launch,
        cancel: &Cancel,
    ) -> Result<(Entered, sandbox::Ended, Left), RoomError> {
        loop {
            let entered = self.enter(launch).map_err(no_room)?;
            let ended = match sandbox::run(&entered.launch, cancel) {
                Err(LaunchError::NoOverlay { .. }) if self.may_copy(&entered) => {
                    NO_OVERLAYS.store(true, Ordering::Relaxed);
                    continue;
                }
                ended => ended?,
            };
            let judged = self.judged().map_err(no_room)?;
            let left = entered
                .left(judged, &self.settings.writable)
                .map_err(no_room)?;
            return Ok((entered, ended, left));
        }
    }
}

fn no_room(error: Error) -> RoomError {
    RoomError::NoRoom(error.into())
}

impl checks::Rooms for Rooms<'_> {
    fn tree(&self) -> Result<TreeNow, BoxError> {
        let mut tree = tree_now(self.judged()?);
        if let Some(name) = &self.name {
            tree.hash.clone_from(name);
        }
        Ok(tree)
    }

    fn run(&self, launch: &Launch, cancel: &Cancel) -> Result<InRoom, RoomError> {
        let started = Instant::now();
        let mut launch = launch.clone();
        let (mut entered, mut ended, mut left) = self.once(&launch, cancel)?;
        let wall = launch.limits.wall.saturating_sub(started.elapsed());
        if left.changed.is_empty() && !left.touched.is_empty() && ended.killed.is_none() {
            if entered.can_fix() && !wall.is_zero() {
                self.fixed
                    .borrow_mut()
                    .extend(left.touched.drain(..).map(PathBuf::from));
                launch.limits.wall = wall;
                drop(entered);
                (entered, ended, left) = self.once(&launch, cancel)?;
            }
            // Nothing here can tell whether they were others in between.
            left.changed.append(&mut left.touched);
        }
        Ok(InRoom {
            ended,
            changed: left.changed,
            included: self
                .included()
                .map_err(no_room)?
                .iter()
                .map(Include::shown)
                .collect(),
            before: self.lower().map_err(no_room)?.folder.clone(),
            after: entered.after.clone(),
            room: Box::new(entered),
        })
    }

    fn over<'b>(&'b self, folder: &'b Path, tree: TreeNow) -> Box<dyn checks::Rooms + 'b> {
        let number = self.number.get();
        self.number.set(number + 1);
        let scratch = self.scratch.join(number.to_string());
        Box::new(Rooms::over_folder(folder, &self.settings, &scratch, tree))
    }

    fn like<'b>(&'b self, folder: &'b Path, tree: TreeNow) -> Box<dyn checks::Rooms + 'b> {
        let number = self.number.get();
        self.number.set(number + 1);
        let scratch = self.scratch.join(number.to_string());
        let rooms = Rooms::over_folder(folder, &self.settings, &scratch, tree);
        // Where nobody can say what lies beside the tree, nothing does.
        let beside = self.included().unwrap_or_default().iter();
        let absent = beside.filter(|one| {
            let place = folder.join(&one.path);
            // Git makes an empty folder for a submodule.
            let _ = std::fs::remove_dir(&place);
            place.symlink_metadata().is_err()
        });
        let laid = rooms.include.set(absent.cloned().collect());
        debug_assert!(laid.is_ok(), "new rooms have looked at nothing yet");
        Box::new(rooms)
    }
}

/// Where checkouts are. No run has such a name.
fn trees(project: &Project) -> PathBuf {
    project.work("_trees")
}

/// Removes every checkout that no room is over: they are copies of the person's files, and the run that
/// needed them is done.
pub fn tidy(project: &Project) {
    checkout::tidy(&trees(project));
}

/// The tree as checks have it.
pub fn tree_now(tree: &Tree) -> TreeNow {
    let content = |node: &Node| match node {
        Node::File { sha256 } => sha256.clone(),
        Node::Executable { sha256 } => format!("x{sha256}"),
        Node::Link { target } => format!("-> {target}"),
        Node::Folder => "folder".to_owned(),
        Node::Special => "special".to_owned(),
    };
    let files = tree.files.iter();
    TreeNow {
        hash: tree.hash(),
        files: files
            .map(|(path, node)| (path.clone(), content(node)))
            .collect(),
    }
}
