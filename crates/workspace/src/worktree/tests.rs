//! Worktrees in which a person has been at work: none of it is ever moved or deleted.

use super::remove::remove_folder;
use super::*;
use crate::git::IDENTITY;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// A repository with one commit, and a worktree of it.
struct Place {
    folder: tempfile::TempDir,
    base: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repo = folder.path().join("repo");
        std::fs::create_dir_all(&repo).unwrap();
        std::fs::write(repo.join("a.txt"), "a\n").unwrap();
        std::fs::write(repo.join(".gitignore"), "cache/\n").unwrap();
        git::first_commit(&repo, "base").unwrap();
        let base = resolve(&repo, "HEAD").unwrap().unwrap();
        let place = Self { folder, base };
        add(&place.repo(), &place.dir(), &place.base).unwrap();
        place
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("m-a")
    }

    fn inside(&self, args: &[&str]) -> String {
        text(&git(&self.dir(), args, &IDENTITY).unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.dir().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Commits what lies in the worktree as the engine does: on no branch, and HEAD stays.
    fn work(&self) -> String {
        let head = store::Head {
            seq: 1,
            hash: "0".repeat(64),
        };
        let scratch = self.folder.path().join("scratch-index");
        let spot = git::Spot {
            repo: &self.dir(),
            run: "m-a",
            turns: &self.turns(),
            scratch: &scratch,
        };
        git::checkpoint(spot, git::Content::Live, "work", &head).unwrap()
    }

    fn turns(&self) -> PathBuf {
        self.folder.path().join(git::TURNS)
    }

    /// Tries to remove it, and gives why it stays.
    #[track_caller]
    fn stays(&self, commit: &str) -> String {
        let removal = remove(&self.repo(), &self.dir(), commit).unwrap();
        assert!(self.dir().is_dir());
        match removal {
            Removal::Kept(why) => why,
            Removal::Removed => panic!("it was removed"),
        }
    }
}

#[test]
fn what_is_all_in_the_commit_is_removed_with_its_record() {
    let place = Place::new();
    place.write("b.txt", "b\n");
    place.write("cache/big", "built\n");
    std::fs::remove_file(place.dir().join("a.txt")).unwrap();
    let work = place.work();
    let record = record(&place.dir()).unwrap();
    assert_eq!(held(&place.repo(), &place.dir(), &work).unwrap(), None);
    let removal = remove(&place.repo(), &place.dir(), &work).unwrap();
    assert_eq!(removal, Removal::Removed);
    assert!(!place.dir().exists() && !record.exists());
}

#[test]
fn a_branch_that_a_person_made_in_it_is_not_moved() {
    let place = Place::new();
    let work = place.work();
    place.inside(&["switch", "--quiet", "-c", "mine"]);
    place.write("mine.txt", "mine\n");
    place.inside(&["add", "mine.txt"]);
    place.inside(&["commit", "--quiet", "-m", "mine"]);
    let mine = resolve(&place.repo(), "mine").unwrap();
    // The files are those of the work: only the branch speaks for the person.
    place.inside(&["rm", "--quiet", "mine.txt"]);
    assert!(place.stays(&work).contains("`mine`"));
    assert_eq!(resolve(&place.repo(), "mine").unwrap(), mine);
    // What was staged is still staged.
    assert_eq!(place.inside(&["status", "--porcelain"]), "D  mine.txt");
}

#[test]
fn a_commit_of_a_persons_on_no_branch_is_not_lost() {
    let place = Place::new();
    let work = place.work();
    place.inside(&["commit", "--quiet", "--allow-empty", "-m", "mine"]);
    let why = place.stays(&work);
    assert!(why.contains("somebody else's"), "{why}");
}

#[test]
fn untracked_files_count_whatever_the_settings_hide() {
    let place = Place::new();
    let work = place.work();
    place.inside(&["config", "status.showUntrackedFiles", "no"]);
    place.write("deep/mine.txt", "mine\n");
    let why = place.stays(&work);
    assert!(why.contains("deep/mine.txt"), "{why}");
    let foreign = Found::Foreign(place.base.clone());
    assert_eq!(look(&place.dir(), &place.base).unwrap(), foreign);
    // With a file gone it would be taken for one whose making was cut short, and made anew.
    std::fs::remove_file(place.dir().join("a.txt")).unwrap();
    assert_eq!(look(&place.dir(), &place.base).unwrap(), foreign);
}

#[test]
fn a_changed_file_keeps_it() {
    let place = Place::new();
    let work = place.work();
    place.write("a.txt", "b\n");
    assert!(place.stays(&work).contains("a.txt"));
}

#[test]
fn a_git_file_that_names_anothers_folder_deletes_nothing() {
    let place = Place::new();
    let work = place.work();
    let own = std::fs::read_to_string(place.dir().join(".git")).unwrap();
    let git_dir = place.repo().join(".git");
    place.write(".git", &format!("gitdir: {}\n", git_dir.display()));
    place.stays(&work);
    assert_ne!(look(&place.dir(), &place.base).unwrap(), Found::Incomplete);
    assert!(git_dir.join("HEAD").is_file());
    // Nor the record of another worktree.
    let other = place.folder.path().join("m-b");
    add(&place.repo(), &other, &place.base).unwrap();
    std::fs::copy(other.join(".git"), place.dir().join(".git")).unwrap();
    place.stays(&work);
    assert_eq!(echo(&other).unwrap(), place.base);
    // Nor one of another repository, even if it claims this folder.
    let stranger = Place::new();
    let theirs = record(&stranger.dir()).unwrap();
    let mine = place.dir().join(".git").display().to_string();
    std::fs::write(theirs.join("gitdir"), mine).unwrap();
    place.write(".git", &format!("gitdir: {}\n", theirs.display()));
    place.stays(&work);
    assert!(theirs.is_dir());
    place.write(".git", &own);
    let removal = remove(&place.repo(), &place.dir(), &work).unwrap();
    assert_eq!(removal, Removal::Removed);
}

#[test]
fn only_commits_of_the_engine_may_be_forgotten() {
    let place = Place::new();
    let work = place.work();
    let tree = format!("{work}^{{tree}}");
    let ours = commit(&place.repo(), &tree, &[&work], "candidate").unwrap();
    assert!(!is_anothers(&place.repo(), &ours).unwrap());
    let person = [
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
    ];
    let args = ["commit-tree", "-m", "mine", "-p", &ours, &tree];
    let mine = text(&git(&place.repo(), &args, &person).unwrap());
    assert!(is_anothers(&place.repo(), &mine).unwrap());
    let what = ["refs/heads/mine", mine.as_str()];
    git::set_ref(&place.repo(), &lock::turn(&place.turns()).unwrap(), &what).unwrap();
    assert!(!is_anothers(&place.repo(), &mine).unwrap());
}

/// What is left when everything is killed at once, or the power fails.
#[test]
fn a_ref_of_ours_that_a_dead_git_left_locked_is_set() {
    let place = Place::new();
    let lock = place.repo().join(".git/refs/proofhouse/m-a.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "half a ha").unwrap();
    let work = place.work();
    let set = resolve(&place.repo(), "refs/proofhouse/m-a").unwrap();
    assert_eq!(set, Some(work));
    assert!(!lock.exists());
}

/// Somebody else's value is no lock.
#[test]
fn a_ref_that_is_not_what_we_think_stays() {
    let place = Place::new();
    let work = place.work();
    let base = place.base.as_str();
    let what = ["refs/proofhouse/m-a", base, base];
    let error =
        git::set_ref(&place.repo(), &lock::turn(&place.turns()).unwrap(), &what).unwrap_err();
    assert_eq!(error.code, "git_failed");
    let set = resolve(&place.repo(), "refs/proofhouse/m-a").unwrap();
    assert_eq!(set, Some(work));
}

#[test]
fn a_worktree_whose_checkout_was_killed_stands_again() {
    let place = Place::new();
    let work = place.work();
    let record = record(&place.dir()).unwrap();
    for lock in ["index.lock", "HEAD.lock"] {
        std::fs::write(record.join(lock), "").unwrap();
    }
    stand(&place.repo(), &place.dir(), &work).unwrap();
    assert_eq!(echo(&place.dir()).unwrap(), work);
}

/// However far git had come: with or without its own files, tied together or not, and locked.
#[test]
fn a_worktree_whose_making_was_cut_short_is_made_anew() {
    type Cut = fn(&Path, &Path);
    let cuts: [(&str, Cut); 4] = [
        ("only its files are missing", |_, _| {}),
        ("no way back", |_, record| {
            std::fs::write(record.join("gitdir"), "").unwrap();
        }),
        ("no way there", |dir, _| {
            std::fs::remove_file(dir.join(".git")).unwrap();
        }),
        ("no record", |_, record| {
            std::fs::remove_dir_all(record).unwrap();
        }),
    ];
    for (name, cut) in cuts {
        let place = Place::new();
        let record = record(&place.dir()).unwrap();
        std::fs::write(record.join("locked"), "initializing").unwrap();
        std::fs::remove_file(record.join("index")).unwrap();
        std::fs::remove_file(place.dir().join("a.txt")).unwrap();
        std::fs::remove_file(place.dir().join(".gitignore")).unwrap();
        cut(&place.dir(), &record);
        let found = look(&place.dir(), &place.base).unwrap();
        assert_eq!(found, Found::Incomplete, "{name}");
        discard_incomplete(&place.repo(), &place.dir()).unwrap();
        assert!(!place.dir().exists() && !record.exists(), "{name}");
        add(&place.repo(), &place.dir(), &place.base).unwrap();
        let found = look(&place.dir(), &place.base).unwrap();
        assert_eq!(found, Found::Fresh, "{name}");
    }
}

#[test]
fn one_that_somebody_deleted_is_made_anew_and_no_other_is_forgotten() {
    let place = Place::new();
    let (repo, other) = (place.repo(), place.folder.path().join("m-b"));
    add(&repo, &other, &place.base).unwrap();
    for gone in [&place.dir(), &other] {
        std::fs::remove_dir_all(gone).unwrap();
    }
    let kept = records(&repo).unwrap().join("m-b");
    add(&repo, &place.dir(), &place.base).unwrap();
    assert_eq!(look(&place.dir(), &place.base).unwrap(), Found::Fresh);
    assert!(kept.exists(), "it is another place's");
    // What somebody has locked may come back.
    std::fs::write(kept.join("locked"), "on a disk of mine\n").unwrap();
    let error = add(&repo, &other, &place.base).unwrap_err();
    assert!(error.what.contains("locked"), "{error}");
    assert!(kept.exists() && !other.exists());
}

#[test]
fn one_of_ours_is_cleared_whatever_commit_it_stands_on() {
    let place = Place::new();
    let (repo, dir, work) = (place.repo(), place.dir(), place.work());
    let tree = format!("{work}^{{tree}}");
    let apart = commit(&repo, &tree, &[&work], "apart").unwrap();
    stand(&repo, &dir, &apart).unwrap();
    assert!(place.stays(&work).contains("somebody else's"));
    // What is in no commit stays here as well.
    place.write("b.txt", "b\n");
    let cleared = clear(&repo, &dir).unwrap();
    let why = "b.txt in it is in no commit".to_owned();
    assert_eq!(cleared, Removal::Kept(why));
    std::fs::remove_file(dir.join("b.txt")).unwrap();
    assert_eq!(clear(&repo, &dir).unwrap(), Removal::Removed);
    assert!(!dir.exists());
}

#[test]
fn folders_that_nobody_may_write_to_are_opened_and_links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, apart) = (folder.path().join("dir"), folder.path().join("apart"));
    std::fs::create_dir_all(dir.join("deep/deeper")).unwrap();
    std::fs::create_dir(&apart).unwrap();
    std::os::unix::fs::symlink(&apart, dir.join("link")).unwrap();
    let closed = || Permissions::from_mode(0o555);
    for closing in [&dir.join("deep/deeper"), &dir.join("deep"), &apart] {
        std::fs::set_permissions(closing, closed()).unwrap();
    }
    open_folders(&dir);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.join("deep")), 0o700);
    assert_eq!(mode(&dir.join("deep/deeper")), 0o700);
    assert_eq!(mode(&apart), 0o555);
    remove_folder(&dir).unwrap();
    assert!(!dir.exists() && apart.exists());
}
