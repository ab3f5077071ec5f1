//! Files and folders are swapped for links while they are read, listed, searched and written: what
//! the link leads to is never served and never changed.

use crate::dir;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::confined::{Files, Glob, Grep, Rel, Resolving, Which};

fn swapping(root: &Path, stop: &AtomicBool) {
    let at = |name: &str| root.join(name);
    symlink("../../secret/file", at("spare-link")).unwrap();
    symlink("../secret", at("spare-folder")).unwrap();
    while !stop.load(Ordering::Relaxed) {
        for (real, spare) in [("open/file", "spare-link"), ("open/folder", "spare-folder")] {
            let aside = at("aside");
            let swap = || -> std::io::Result<()> {
                fs::rename(at(real), &aside)?;
                fs::rename(at(spare), at(real))?;
                fs::rename(at(real), at(spare))?;
                fs::rename(&aside, at(real))
            };
            // A write may have got in between; then the folder is put right again.
            if swap().is_err() {
                let _ = fs::remove_file(at(real));
                let _ = fs::remove_dir_all(at(real));
                let _ = fs::rename(&aside, at(real));
            }
        }
    }
}

/// Stops the swapping even when an assertion fails: the test must fail, not hang.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn s6_3_a_swap_between_check_and_use_shows_nothing() {
    for resolving in [Resolving::Kernel, Resolving::Stepwise] {
        let dir = dir();
        let root = dir.path();
        fs::create_dir_all(root.join("open/folder")).unwrap();
        fs::create_dir_all(root.join("secret")).unwrap();
        for (path, text) in [
            ("open/file", "plain\n"),
            ("open/folder/file", "plain\n"),
            ("secret/file", "SECRET\n"),
            ("secret/SECRETNAME", "SECRET\n"),
        ] {
            fs::write(root.join(path), text).unwrap();
        }
        let open = Rel::parse("open").unwrap();
        let role = Files::open_at(&root.join("open"), &open, resolving).unwrap();
        let stop = AtomicBool::new(false);
        let mut served = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| swapping(root, &stop));
            let _stop = Stop(&stop);
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(700) {
                for path in ["open/file", "open/folder/file", "open/folder/SECRETNAME"] {
                    let path = Rel::parse(path).unwrap();
                    if let Ok(bytes) = role.read(&path) {
                        assert_ne!(bytes, b"SECRET\n");
                        served += 1;
                    }
                    let _ = role.edit(&path, "SECRET", "lost", Which::All);
                }
                let folder = Rel::parse("open/folder").unwrap();
                let listed = role
                    .ls(&folder)
                    .map(|listed| listed.items)
                    .unwrap_or_default();
                assert!(
                    listed
                        .iter()
                        .all(|one| one.path.name() != Some("SECRETNAME"))
                );
                let found = role
                    .glob(&Glob::parse("**").unwrap().under(&open))
                    .unwrap()
                    .items;
                assert!(found.iter().all(|path| !path.as_str().contains("SECRET")));
                let hits = role
                    .grep(&Grep::parse("SECRET").unwrap().under(&open))
                    .unwrap()
                    .items;
                assert!(hits.is_empty(), "{hits:?}");
                let new = Rel::parse("open/folder/new").unwrap();
                let _ = role.write(&new, b"mine");
            }
        });
        assert!(served > 0, "the test never read anything");
        let mut left: Vec<_> = fs::read_dir(root.join("secret"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["SECRETNAME", "file"]);
        for name in left {
            assert_eq!(
                fs::read(root.join("secret").join(name)).unwrap(),
                b"SECRET\n"
            );
        }
    }
}
