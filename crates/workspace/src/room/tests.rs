//! Rooms over a real repository, as overlays and as copies.

use super::*;
use crate::git;
use checks::Rooms as _;
use checks::Star;
use globset::GlobSet;
use sandbox::{Limits, Policy};
use std::collections::BTreeMap;
use std::time::Duration;

/// A repository with two commits and tags, and rooms over it.
struct Place {
    folder: tempfile::TempDir,
    settings: RoomSettings,
    how: How,
}

impl Place {
    fn new(how: How) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self {
            folder,
            settings: RoomSettings {
                writable: GlobSet::empty(),
                include: None,
            },
            how,
        };
        for (path, text) in [
            ("src/lib.txt", "code\n"),
            ("tests/one.sh", "grep -q good src/lib.txt\n"),
            ("snapshots/out.txt", "old\n"),
            (
                ".gitignore",
                ".proofhouse/\nignored/\nnode_modules/\ntarget/\n",
            ),
        ] {
            place.write(path, text);
        }
        std::os::unix::fs::symlink("src/lib.txt", place.path("link")).unwrap();
        git::first_commit(&place.repo(), "first").unwrap();
        let git = |args: &[&str]| git::git(&place.repo(), args, &git::IDENTITY).unwrap();
        git(&["tag", "v0.9.0"]);
        place.write("src/lib.txt", "better code\n");
        git(&[
            "commit",
            "--all",
            "--quiet",
            "--message=a secret of history",
        ]);
        git(&["tag", "--annotate", "--message=release", "v1.0.0"]);
        git(&["update-ref", "refs/proofhouse/other", "HEAD"]);
        place
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.repo().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn with<T>(&self, act: impl FnOnce(&Rooms<'_>) -> T) -> T {
        let project = Project::find(&self.repo()).unwrap();
        let files = || git::files(&self.repo(), &self.repo());
        let scratch = self.path(".proofhouse/work/run/1");
        let rooms = Rooms::of(&project, &self.settings, &scratch, &files);
        rooms.always.set(Some(self.how));
        act(&rooms)
    }

    fn launch(&self, script: &str) -> Launch {
        let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
        let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        let limits = Limits {
            wall: Duration::from_secs(60),
            idle: None,
            output_bytes: 1 << 20,
        };
        let mut launch = Launch::new(argv, self.repo(), env, limits);
        let none: [PathBuf; 0] = [];
        launch.policy = Some(Policy::confined(none, [self.repo()]));
        launch
    }

    fn done(&self, script: &str) -> InRoom {
        self.with(|rooms| rooms.run(&self.launch(script), &Cancel::new()))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    fn says(&self, script: &str) -> String {
        let done = self.done(script);
        let said = String::from_utf8_lossy(&done.ended.output).into_owned();
        assert_eq!(done.ended.exit, Some(0), "{said}");
        assert_eq!(done.changed, Vec::<String>::new(), "{said}");
        said
    }

    fn tree(&self) -> Tree {
        let files = store::walk(&self.repo(), &|path| path.starts_with(".proofhouse")).unwrap();
        Tree::of(&self.repo(), files).unwrap()
    }
}

/// Both ways to have a room, as far as this machine has them.
fn ways() -> Vec<How> {
    let place = Place::new(How::Overlay);
    let tried = place.with(|rooms| rooms.run(&place.launch("true"), &Cancel::new()));
    match tried {
        Ok(_) => vec![How::Overlay, How::Copy],
        Err(why) => {
            eprintln!("SKIPPED: no overlay here: {why}");
            vec![How::Copy]
        }
    }
}

#[test]
fn what_is_written_is_gone_and_the_next_room_is_fresh() {
    for how in ways() {
        let place = Place::new(how);
        let before = place.tree();
        let script = "test ! -e made -a ! -e src/__pycache__ && mkdir -p src/__pycache__ target &&
             echo x > made && echo y > src/__pycache__/z && cat src/lib.txt link";
        for _ in 0..2 {
            assert_eq!(place.says(script), "better code\nbetter code\n");
        }
        assert_eq!(place.tree(), before);
        let rooms = place.path(".proofhouse/work/run/1/rooms");
        for number in ["0", "1"] {
            let room = rooms.join(number);
            assert!(!room.exists() && !super::enter::outside(&room).exists());
        }
    }
}

#[test]
fn what_is_changed_of_the_judged_tree_is_named() {
    for how in ways() {
        for (attack, named) in [
            ("echo forged > tests/one.sh", "tests/one.sh"),
            ("rm tests/one.sh", "tests/one.sh"),
            ("rm -r tests; mkdir tests", "tests/one.sh"),
            ("rm -r tests; echo > tests", "tests/one.sh"),
            (
                "rm -r tests; mkdir t; ln -s t tests; cp src/lib.txt t/one.sh",
                "tests/one.sh",
            ),
            ("chmod +x tests/one.sh", "tests/one.sh"),
            ("rm link; ln -s tests/one.sh link", "link"),
            ("mv snapshots/out.txt new", "snapshots/out.txt"),
        ] {
            let place = Place::new(how);
            let before = place.tree();
            let done = place.done(attack);
            assert_eq!(done.changed, [named], "{how:?}: {attack}");
            drop(done);
            assert_eq!(place.tree(), before, "{how:?}: {attack}");
        }
    }
}

#[test]
fn a_file_that_was_another_in_between_is_never_believed() {
    for how in ways() {
        for swap in [
            "cp -p tests/one.sh /tmp/k; echo true > tests/one.sh; sh tests/one.sh; e=$?; cp -p /tmp/k tests/one.sh; exit $e",
            "mv tests/one.sh k; echo true > tests/one.sh; sh tests/one.sh; e=$?; mv k tests/one.sh; exit $e",
            "cp src/lib.txt k; echo good > src/lib.txt; sh tests/one.sh; e=$?; cat k > src/lib.txt; exit $e",
        ] {
            let place = Place::new(how);
            let done = place.done(swap);
            let said = String::from_utf8_lossy(&done.ended.output).into_owned();
            let believed = done.ended.exit == Some(0) && done.changed.is_empty();
            assert!(!believed, "{how:?}: {swap}: {said}");
        }
    }
}

#[test]
fn a_file_that_is_only_opened_for_writing_is_no_change() {
    for how in ways() {
        let place = Place::new(how);
        place.says("(exec 3<>src/lib.txt) 2>/dev/null || true");
        place.says("touch src/lib.txt 2>/dev/null || true");
    }
}

#[test]
fn what_the_person_names_may_be_written_and_does_not_stay() {
    for how in ways() {
        let mut place = Place::new(how);
        let script = "echo new > snapshots/out.txt; cat snapshots/out.txt";
        assert_eq!(place.done(script).changed, ["snapshots/out.txt"]);
        let globs = ["snapshots/**"];
        place.settings.writable = checks::compiled(Star::Stays, globs).unwrap();
        assert_eq!(place.says(script), "new\n");
        assert_eq!(place.says("cat snapshots/out.txt"), "old\n");
    }
}

#[test]
fn a_rooms_git_has_one_commit_of_the_tree_and_the_tags() {
    for how in ways() {
        let place = Place::new(how);
        place.write("src/untracked.txt", "of the tree all the same\n");
        assert_eq!(
            place.says("git describe --dirty; git describe --tags"),
            "v1.0.0\nv1.0.0\n"
        );
        assert_eq!(
            place.says("git status --porcelain; git tag"),
            "v0.9.0\nv1.0.0\n"
        );
        let files =
            ".gitignore\nlink\nsnapshots/out.txt\nsrc/lib.txt\nsrc/untracked.txt\ntests/one.sh\n";
        assert_eq!(place.says("git ls-files"), files);
        let all =
            place.says("git cat-file --batch-check='%(objecttype)' --batch-all-objects | sort");
        // Five files and a link; their folders and the top; the commit; the tag.
        let kinds = |kind: &str| all.lines().filter(|line| *line == kind).count();
        assert_eq!(all.lines().count(), 12, "{all}");
        assert_eq!(
            (kinds("blob"), kinds("tree"), kinds("commit"), kinds("tag")),
            (6, 4, 1, 1)
        );
        assert_eq!(place.says("git rev-list --all --count"), "1\n");
        let log = place.says("git log --format=%an:%s; git for-each-ref --format='%(refname)'");
        assert_eq!(
            log,
            "Proofhouse:The tree that is judged\nrefs/heads/main\nrefs/tags/v0.9.0\nrefs/tags/v1.0.0\n"
        );
        assert_eq!(
            place.says(
                "ls .git/hooks 2>/dev/null; cat .git/objects/info/alternates 2>/dev/null; true"
            ),
            ""
        );
    }
}

#[test]
fn dependencies_come_from_the_persons_tree_and_cannot_be_changed() {
    for how in ways() {
        let mut place = Place::new(how);
        place.write("node_modules/a/index.js", "theirs");
        place.write("target/CACHEDIR.TAG", "");
        place.write("target/built", "warm");
        place.write("ignored/fixture", "needed");
        let tried = "cat node_modules/a/index.js; echo forged 2>/dev/null > node_modules/a/index.js;
            touch node_modules/new 2>/dev/null; test ! -e ignored && echo cold > target/built && cat target/built";
        // A copy has no cache: there the folder is new.
        let script = format!("mkdir -p target; {tried}");
        assert_eq!(place.says(&script), "theirscold\n", "{how:?}");
        let read = |path: &str| std::fs::read_to_string(place.path(path)).unwrap();
        assert_eq!(read("node_modules/a/index.js"), "theirs");
        assert_eq!(read("target/built"), "warm");
        assert!(!place.path("node_modules/new").exists());
        // A submodule's files are another repository's, and needed all the same.
        place.write("lib/of.txt", "theirs too");
        git::first_commit(&place.path("lib"), "of another").unwrap();
        place.write(
            ".gitmodules",
            "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n",
        );
        assert_eq!(place.says("cat lib/of.txt"), "theirs too");
        place.settings.include = Some(vec![
            "ignored".to_owned(),
            "../out".to_owned(),
            "src".to_owned(),
        ]);
        assert_eq!(
            place.says("cat ignored/fixture; ls node_modules 2>/dev/null; true"),
            "needed"
        );
    }
}

#[test]
fn a_checkout_that_was_touched_is_made_anew() {
    for how in ways() {
        let place = Place::new(how);
        place.says("true");
        let trees = place.path(".proofhouse/work/_trees");
        let one = std::fs::read_dir(&trees)
            .unwrap()
            .flatten()
            .find(|entry| entry.path().join("tree").is_dir())
            .unwrap();
        std::fs::write(one.path().join("tree/src/lib.txt"), "forged\n").unwrap();
        // Another process would know nothing of it.
        checkout::forget();
        assert_eq!(place.says("cat src/lib.txt"), "better code\n");
    }
}

/// Whoever is second finds the first in it: nobody's checkout goes while a room is over it.
#[test]
fn who_makes_the_same_checkout_at_once_shares_one() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new(How::Copy);
    let (tree, repo) = (place.tree(), place.repo());
    let trees = place.path(".proofhouse/work/_trees");
    let all_have_one = std::sync::Barrier::new(8);
    let seen: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let one = || {
            let checkout = checkout::Checkout::of(&trees, &repo, &tree).unwrap();
            let ino = || std::fs::metadata(&checkout.folder).unwrap().ino();
            let first = ino();
            all_have_one.wait();
            (first, ino())
        };
        let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(
        seen.iter().all(|one| *one == (seen[0].0, seen[0].0)),
        "{seen:?}"
    );
    let left = std::fs::read_dir(&trees).unwrap().flatten();
    let left = left.filter(|entry| entry.path().is_dir()).count();
    assert_eq!(left, 1);
}

#[test]
fn only_the_last_few_checkouts_are_kept() {
    let place = Place::new(How::Copy);
    for number in 0..12 {
        place.write("src/lib.txt", &format!("version {number}\n"));
        assert_eq!(place.says("cat src/lib.txt"), format!("version {number}\n"));
    }
    let trees = place.path(".proofhouse/work/_trees");
    let kept = std::fs::read_dir(&trees).unwrap().flatten();
    let kept = kept.filter(|entry| entry.path().is_dir()).count();
    assert!(kept <= 8, "{kept}");
}

#[test]
fn a_pipe_in_the_tree_is_refused_by_name() {
    let place = Place::new(How::Copy);
    std::fs::remove_file(place.path("src/lib.txt")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, place.path("src/lib.txt"), kind, mode, 0).unwrap();
    let tried = place.with(|rooms| rooms.run(&place.launch("true"), &Cancel::new()));
    let Err(error) = tried else {
        panic!("it was entered")
    };
    assert!(
        error.to_string().contains("src/lib.txt is a pipe"),
        "{error}"
    );
}

#[test]
fn reports_lie_where_they_were_written() {
    for how in ways() {
        let place = Place::new(how);
        let done = place.done("mkdir out; echo report > out/report.xml");
        let report = std::fs::read_to_string(done.after.join("out/report.xml")).unwrap();
        assert_eq!(report, "report\n");
        let after = done.after.clone();
        drop(done);
        assert!(!after.exists());
    }
}
