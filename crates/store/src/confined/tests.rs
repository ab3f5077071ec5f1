//! Files below one folder (rule F7).

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn rel(text: &str) -> Rel {
    Rel::parse(text).unwrap()
}

struct Place {
    dir: tempfile::TempDir,
    files: Files,
}

fn place(resolving: Resolving) -> Place {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("in/a")).unwrap();
    fs::write(dir.path().join("outside"), "OUTSIDE\n").unwrap();
    fs::write(dir.path().join("in/a/one.txt"), "first\nsecond\n").unwrap();
    let files = Files::open_at(&dir.path().join("in"), &Rel::root(), resolving).unwrap();
    Place { dir, files }
}

const BOTH: [Resolving; 2] = [Resolving::Kernel, Resolving::Stepwise];

#[test]
fn s7_reads_writes_and_edits() {
    for resolving in BOTH {
        let Place { dir: _dir, files } = place(resolving);
        let path = rel("b/new/two.txt");
        assert_eq!(files.read(&path).unwrap_err(), Denied::not_found(&path));
        files.write(&path, b"x x").unwrap();
        assert_eq!(files.read(&path).unwrap(), b"x x");
        let once = files.edit(&path, "x", "y", Which::Once).unwrap_err();
        assert_eq!(once.code(), Code::Ambiguous);
        assert_eq!(files.edit(&path, "x", "y", Which::All).unwrap(), 2);
        let none = files.edit(&path, "x", "y", Which::All).unwrap_err();
        assert_eq!(none.code(), Code::NoMatch);
        assert_eq!(files.read(&path).unwrap(), b"y y");
    }
}

#[test]
fn s7_lists_globs_and_greps() {
    let Place { dir: _dir, files } = place(Resolving::Kernel);
    let listed = files.ls(&Rel::root()).unwrap();
    assert_eq!(listed.items[0].path, rel("a"));
    assert_eq!(listed.items[0].kind, Kind::Folder);
    let under_file = files.ls(&rel("a/one.txt")).unwrap_err();
    assert_eq!(under_file.code(), Code::NotFolder);
    let found = files.glob(&Glob::parse("**/*.txt").unwrap()).unwrap();
    assert_eq!(found.items, [rel("a/one.txt")]);
    for start in ["", "a", "a/one.txt"] {
        let query = Grep::parse("^sec").unwrap().under(&rel(start));
        let hits = files.grep(&query).unwrap();
        assert_eq!(hits.truncated, Truncated::No);
        assert_eq!(hits.items.len(), 1, "{start}");
        assert_eq!(
            (hits.items[0].line, hits.items[0].text.as_str()),
            (2, "second")
        );
    }
}

#[test]
fn s7_limits_cut_the_sorted_answer_and_say_so() {
    let Place { dir, files } = place(Resolving::Kernel);
    for n in 0..300 {
        fs::write(dir.path().join(format!("in/{n:03}.md")), "hit\nhit\n").unwrap();
    }
    let found = files.glob(&Glob::parse("*.md").unwrap().limit(3)).unwrap();
    assert_eq!(found.items, ["000.md", "001.md", "002.md"].map(rel));
    assert_eq!(found.truncated, Truncated::Yes);
    let hits = files.grep(&Grep::parse("hit").unwrap().limit(3)).unwrap();
    let places: Vec<_> = hits
        .items
        .iter()
        .map(|hit| (hit.path.as_str(), hit.line))
        .collect();
    assert_eq!(places, [("000.md", 1), ("000.md", 2), ("001.md", 1)]);
    assert_eq!(hits.truncated, Truncated::Yes);
}

#[test]
fn s7_links_and_devices_are_neither_followed_nor_shown() {
    for resolving in BOTH {
        let Place { dir, files } = place(resolving);
        let inside = dir.path().join("in");
        symlink("../outside", inside.join("soft")).unwrap();
        symlink("..", inside.join("up")).unwrap();
        symlink("a", inside.join("same")).unwrap();
        fs::hard_link(dir.path().join("outside"), inside.join("hard")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, inside.join("pipe"), 0o600.into()).unwrap();
        for path in ["soft", "up/outside", "same/one.txt", "hard", "pipe"] {
            let path = rel(path);
            for code in [
                files.read(&path).unwrap_err().code(),
                files.write(&path, b"x").unwrap_err().code(),
                files.edit(&path, "O", "x", Which::All).unwrap_err().code(),
            ] {
                assert!(
                    matches!(code, Code::NotPlain | Code::NotFound),
                    "{path} {code:?}"
                );
            }
        }
        assert!(files.ls(&rel("up")).is_err());
        let names = files.ls(&Rel::root()).unwrap().items;
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(
            files
                .grep(&Grep::parse("OUTSIDE").unwrap())
                .unwrap()
                .items
                .is_empty()
        );
        assert!(
            files
                .grep(&Grep::parse("O").unwrap().under(&rel("up")))
                .is_err()
        );
        assert_eq!(fs::read(dir.path().join("outside")).unwrap(), b"OUTSIDE\n");
    }
}

#[test]
fn s7_the_engines_own_folders_do_not_exist() {
    let Place { dir, files } = place(Resolving::Kernel);
    for name in [".git", ".proofhouse", "a/.GIT"] {
        fs::create_dir_all(dir.path().join("in").join(name)).unwrap();
        fs::write(dir.path().join("in").join(name).join("x"), "OWN").unwrap();
        let path = rel(name).join("x").unwrap();
        assert_eq!(files.read(&path).unwrap_err(), Denied::not_found(&path));
        assert!(files.write(&path, b"").is_err());
    }
    assert!(
        files
            .grep(&Grep::parse("OWN").unwrap())
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(
        files.glob(&Glob::parse("**").unwrap()).unwrap().items.len(),
        1
    );
}

#[test]
fn s7_a_mounted_folder_stands_where_it_is_put() {
    let Place { dir, .. } = place(Resolving::Kernel);
    let files = Files::open_at(&dir.path().join("in"), &rel("m/n"), Resolving::Kernel).unwrap();
    assert_eq!(
        files.read(&rel("m/n/a/one.txt")).unwrap(),
        b"first\nsecond\n"
    );
    assert!(files.read(&rel("a/one.txt")).is_err());
    let query = Glob::parse("**").unwrap().under(&rel("m/n"));
    assert_eq!(files.glob(&query).unwrap().items, [rel("m/n/a/one.txt")]);
}
