//! Views against what agents can do to them: whatever an agent left, the next view is what a fresh
//! layout would be, and the change is found.

use super::copy::folders_of;
use super::lay_out::fill;
use super::spare::Spare;
use super::stamp::{COARSEST, Seen, time};
use super::{Base, stays_inside};
use crate::Error;
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use store::Tree;

#[test]
fn links_out_are_seen() {
    for (path, link, inside) in [
        ("a", "b", true),
        ("d/a", "../b", true),
        ("a", "../b", false),
        ("d/a", "x/../../../b", false),
        ("a", "/etc/passwd", false),
    ] {
        assert_eq!(
            stays_inside(Path::new(path), Path::new(link)),
            inside,
            "{path} -> {link}"
        );
    }
}

/// What anybody may do to a path.
#[derive(Debug, Clone)]
enum Deed {
    Write(u8),
    Append,
    /// Other content of the same size, and the old time of modification.
    Forge,
    /// The same content in a new file.
    Replace,
    Delete,
    Link(&'static str),
    HardLink,
    Fifo,
    Folder,
    Mode(u32),
    Move(&'static str),
    Touch,
}

/// Paths that a deed may meet: some are there as files, some as folders, some not at all.
const PATHS: [&str; 11] = [
    "a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "d/e/f/a", "g/a", "g/new", "new",
];
const FILES: [&str; 8] = ["a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "d/e/f/a", "g/a"];

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        any::<u8>().prop_map(Deed::Write),
        Just(Deed::Append),
        Just(Deed::Forge),
        Just(Deed::Replace),
        Just(Deed::Delete),
        prop_oneof![Just("a"), Just("../../.."), Just("/etc"), Just("e")].prop_map(Deed::Link),
        Just(Deed::HardLink),
        Just(Deed::Fifo),
        Just(Deed::Folder),
        prop_oneof![
            Just(0o755),
            Just(0o644),
            Just(0o600),
            Just(0o4755),
            Just(0o1777),
            Just(0o500)
        ]
        .prop_map(Deed::Mode),
        prop_oneof![Just("d/moved"), Just("g"), Just("moved"), Just("d/a")].prop_map(Deed::Move),
        Just(Deed::Touch),
    ]
}

fn deeds(most: usize) -> impl Strategy<Value = Vec<(&'static str, Deed)>> {
    proptest::collection::vec((proptest::sample::select(&PATHS[..]), deed()), 0..most)
}

fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn set_modified(path: &Path, time: std::time::SystemTime) -> io::Result<()> {
    File::open(path)?.set_times(FileTimes::new().set_modified(time))
}

/// Fails where it makes no sense; that is a deed like any other. Never opens a pipe: that waits.
fn act(root: &Path, name: &str, deed: &Deed) -> io::Result<()> {
    let path = root.join(name);
    let found = path.symlink_metadata();
    let file = found.as_ref().is_ok_and(|found| found.is_file());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match deed {
        Deed::Write(byte) if file || found.is_err() => fs::write(&path, [*byte; 3]),
        Deed::Append if file => OpenOptions::new().append(true).open(&path)?.write_all(b"x"),
        Deed::Forge if file => {
            let (old, time) = (fs::read(&path)?, found?.modified()?);
            fs::write(&path, old.iter().map(|byte| byte ^ 1).collect::<Vec<u8>>())?;
            set_modified(&path, time)
        }
        Deed::Replace if file => {
            let (old, time) = (fs::read(&path)?, found?.modified()?);
            fs::remove_file(&path)?;
            fs::write(&path, old)?;
            set_modified(&path, time)
        }
        Deed::Write(_) | Deed::Append | Deed::Forge | Deed::Replace => Ok(()),
        Deed::Delete => remove(&path),
        Deed::Link(target) => {
            let _ = remove(&path);
            symlink(target, &path)
        }
        Deed::HardLink => fs::hard_link(root.join("a"), &path),
        Deed::Fifo => {
            let _ = remove(&path);
            Ok(mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0)?)
        }
        Deed::Folder => {
            let _ = remove(&path);
            fs::create_dir(&path)
        }
        Deed::Mode(mode) if !found?.is_symlink() => {
            fs::set_permissions(&path, Permissions::from_mode(*mode))
        }
        Deed::Mode(_) => Ok(()),
        Deed::Move(to) => fs::rename(&path, root.join(to)),
        Deed::Touch if file => set_modified(&path, std::time::SystemTime::UNIX_EPOCH),
        Deed::Touch => Ok(()),
    }
}

/// Everything below a folder, folders too, down to mode and number of links.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            let full = root.join(&path);
            let found = full.symlink_metadata().unwrap();
            let content = if found.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if found.is_symlink() {
                format!("{} -> {:?}", found.nlink(), fs::read_link(&full).unwrap())
            } else if found.is_file() {
                format!("{} {:?}", found.nlink(), fs::read(&full).unwrap())
            } else {
                "special".to_owned()
            };
            all.insert(path, format!("{:o} {content}", found.mode()));
        }
    }
    all
}

/// A repository of the files, and its view.
struct Scene {
    folder: tempfile::TempDir,
    tree: Tree,
    seen: Seen,
}

/// Paths of files as git would list them, those that a role may see.
fn listed(root: &Path, hidden: usize) -> Vec<PathBuf> {
    let mut files = store::walk(root, &|_| false).unwrap();
    if hidden < PATHS.len() {
        files.retain(|path| !path.starts_with(PATHS[hidden]));
    }
    files
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        for name in FILES {
            let path = source.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, name).unwrap();
        }
        symlink("a", source.join("link")).unwrap();
        // The file system's clock may stand still for a while under load: what a test changes later
        // must lie in another tick than what was written here.
        let written = time(folder.path()).unwrap();
        while time(folder.path()).unwrap() <= written {
            std::thread::yield_now();
        }
        fs::create_dir_all(folder.path().join("bin/view")).unwrap();
        let view = folder.path().join("bin/view/repo");
        let marks = (folder.path(), time(folder.path()).unwrap());
        let files = listed(&source, usize::MAX);
        let (tree, mut seen) = fill(&source, &view, &files, None, marks).unwrap();
        // As if the sources were old: the clock has ticked since the last of them was written, and
        // here all lie on one file system, so a change of one shows.
        if seen.done > 0 {
            seen.began = seen.done + COARSEST;
        }
        Scene { folder, tree, seen }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn view(&self) -> PathBuf {
        self.at("bin/view/repo")
    }

    fn spare(&self) -> Spare {
        Spare {
            base: Base {
                repo: self.tree.clone(),
                task: Tree::default(),
                seen: self.seen.clone(),
            },
            repo: self.view(),
            bin: self.at("bin"),
        }
    }

    /// Lays out anew at `name`, from the old view or afresh.
    fn lay_out(&self, name: &str, hidden: usize, spare: Option<&Spare>) -> (Tree, Seen) {
        self.try_to(name, hidden, spare).unwrap()
    }

    /// The same where the user may have made something that no view can hold, such as a pipe.
    fn try_to(
        &self,
        name: &str,
        hidden: usize,
        spare: Option<&Spare>,
    ) -> Result<(Tree, Seen), Error> {
        let (source, to) = (self.at("source"), self.at(name));
        let marks = (self.folder.path(), time(self.folder.path()).unwrap());
        fill(&source, &to, &listed(&source, hidden), spare, marks)
    }

    fn inode(&self, name: &str) -> u64 {
        self.at(name).symlink_metadata().unwrap().ino()
    }
}

/// The tests below show nothing of stamps on a file system whose stamps are not believed.
fn believed(scene: &Scene) -> bool {
    if scene.seen.done == 0 {
        eprintln!("skipped: on this file system no stamp is believed, so every view is fresh");
    }
    scene.seen.done > 0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_done_the_next_view_is_a_fresh_one(
        by_agent in deeds(6),
        by_user in deeds(3),
        hidden in 0..PATHS.len() + 6,
    ) {
        let scene = Scene::new();
        for (name, deed) in &by_agent {
            let _ = act(&scene.view(), name, deed);
        }
        for (name, deed) in &by_user {
            let _ = act(&scene.at("source"), name, deed);
        }
        let second = scene.try_to("second", hidden, Some(&scene.spare()));
        let fresh = scene.try_to("fresh", hidden, None);
        let ((tree, seen), (fresh, _)) = match (second, fresh) {
            (Ok(second), Ok(fresh)) => (second, fresh),
            // What no view can hold is refused either way, by the same name.
            (second, fresh) => {
                prop_assert_eq!(second.err(), fresh.err());
                return Ok(());
            }
        };
        prop_assert_eq!(snapshot(&scene.at("second")), snapshot(&scene.at("fresh")));
        prop_assert_eq!(&tree, &fresh);
        // And what is said of it is true of each entry.
        prop_assert!(seen.done == 0 || seen.same_folders(&scene.at("second")));
        prop_assert_eq!(seen.files.len(), tree.files.len());
    }

    /// A crash leaves a view half brought up to date, with the old record of it. It is not looked
    /// for, and would do no harm.
    #[test]
    fn a_view_left_halfway_misleads_nobody(
        by_agent in deeds(6),
        by_user in deeds(3),
        hidden in 0..PATHS.len() + 6,
    ) {
        let scene = Scene::new();
        for (name, deed) in &by_agent {
            let _ = act(&scene.view(), name, deed);
        }
        let mut spare = scene.spare();
        let files = listed(&scene.at("source"), hidden);
        let folders = folders_of(files.iter().map(PathBuf::as_path));
        spare.reuse(&scene.at("source"), &scene.at("half"), &files, &folders);
        for (name, deed) in &by_user {
            let _ = act(&scene.at("source"), name, deed);
        }
        fs::create_dir(scene.at("again")).unwrap();
        (spare.repo, spare.bin) = (scene.at("half"), scene.at("again"));
        let second = scene.try_to("second", usize::MAX, Some(&spare));
        let fresh = scene.try_to("fresh", usize::MAX, None);
        let ((tree, _), (fresh, _)) = match (second, fresh) {
            (Ok(second), Ok(fresh)) => (second, fresh),
            (second, fresh) => {
                prop_assert_eq!(second.err(), fresh.err());
                return Ok(());
            }
        };
        prop_assert_eq!(snapshot(&scene.at("second")), snapshot(&scene.at("fresh")));
        prop_assert_eq!(tree, fresh);
    }

    #[test]
    fn every_change_is_found(deeds in deeds(6)) {
        let scene = Scene::new();
        for (name, deed) in &deeds {
            let _ = act(&scene.view(), name, deed);
        }
        let paths = listed(&scene.view(), usize::MAX);
        let now = scene.seen.tree_now(&scene.view(), &scene.view(), &scene.tree, &paths).unwrap();
        prop_assert_eq!(&now, &Tree::of(&scene.view(), &paths).unwrap());
        if scene.seen.same_folders(&scene.view()) {
            let laid_out: Vec<PathBuf> = scene.tree.files.keys().map(PathBuf::from).collect();
            prop_assert_eq!(paths, laid_out);
        }
    }
}

#[test]
fn what_nobody_touched_is_not_copied_again() {
    let scene = Scene::new();
    if !believed(&scene) {
        return;
    }
    let before: Vec<u64> = FILES
        .map(|name| scene.inode(&format!("bin/view/repo/{name}")))
        .to_vec();
    // The number of a deleted file may be given to the next one, unless somebody has it open.
    let _open = FILES.map(|name| fs::File::open(scene.view().join(name)).unwrap());
    act(&scene.view(), "d/a", &Deed::Forge).unwrap();
    act(&scene.view(), "d/new", &Deed::Write(7)).unwrap();
    act(&scene.at("source"), "g/a", &Deed::Forge).unwrap();
    scene.lay_out("second", usize::MAX, Some(&scene.spare()));
    let kept = FILES
        .iter()
        .zip(before)
        .filter(|(name, before)| scene.inode(&format!("second/{name}")) == *before);
    let kept: Vec<&str> = kept.map(|(name, _)| *name).collect();
    // `d` has another entry, so all that is right in it is new; what lies deeper is not.
    assert_eq!(kept, ["a", "b", "d/e/a", "d/e/b", "d/e/f/a"]);
    let text = |name: &str| fs::read(scene.at(name)).unwrap();
    assert_eq!(text("second/g/a"), text("source/g/a"));
}

#[test]
fn a_third_view_is_as_true_as_the_second() {
    let scene = Scene::new();
    act(&scene.view(), "a", &Deed::Append).unwrap();
    let (tree, seen) = scene.lay_out("second", usize::MAX, Some(&scene.spare()));
    act(&scene.at("second"), "b", &Deed::Forge).unwrap();
    act(&scene.at("second"), "d/e", &Deed::Mode(0o700)).unwrap();
    fs::create_dir(scene.at("again")).unwrap();
    let mut spare = scene.spare();
    (spare.base.repo, spare.base.seen) = (tree, seen);
    (spare.repo, spare.bin) = (scene.at("second"), scene.at("again"));
    scene.lay_out("third", usize::MAX, Some(&spare));
    scene.lay_out("fresh", usize::MAX, None);
    assert_eq!(snapshot(&scene.at("third")), snapshot(&scene.at("fresh")));
}

#[test]
fn a_view_whose_top_is_a_link_or_gone_is_laid_out_afresh() {
    for planted in [Deed::Link("../../.."), Deed::Delete, Deed::Fifo] {
        let scene = Scene::new();
        let _ = act(&scene.at("bin/view"), "repo", &planted);
        scene.lay_out("second", usize::MAX, Some(&scene.spare()));
        scene.lay_out("fresh", usize::MAX, None);
        assert_eq!(
            snapshot(&scene.at("second")),
            snapshot(&scene.at("fresh")),
            "{planted:?}"
        );
        assert_eq!(fs::read(scene.at("source/a")).unwrap(), b"a");
    }
}
