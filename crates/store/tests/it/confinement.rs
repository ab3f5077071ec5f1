//! Whatever the tree and the path: nothing outside of the folder comes back, and nothing outside of it
//! changes. What may not be seen is planted with a mark, which is looked for in every answer.

use crate::dir;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use store::confined::{Case, Code, Files, Glob, Grep, Rel, Which};

const INNER: [&str; 5] = [
    "code/main.py",
    "code/ünï/Ω.py",
    "tests/%2e%2e/test.py",
    "notes/Contract.json",
    "ZZ zz.txt",
];

/// A link of each kind, from inside to something that is not.
fn plant(dir: &Path, links: &[u8]) {
    for name in INNER {
        let path = dir.join("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "inside\n").unwrap();
    }
    fs::create_dir_all(dir.join("out/deep")).unwrap();
    fs::write(dir.join("out/deep/main.py"), "OUTSIDE\n").unwrap();
    fs::write(dir.join("out/file"), "OUTSIDE\n").unwrap();
    for own in [".git", ".proofhouse"] {
        fs::create_dir_all(dir.join("in").join(own)).unwrap();
        fs::write(dir.join("in").join(own).join("main.py"), "OUTSIDE\n").unwrap();
    }
    for (n, kind) in links.iter().enumerate() {
        let link = dir.join(format!("in/notes/link{n}"));
        match kind % 3 {
            0 => symlink(dir.join("out/file"), &link).unwrap(),
            1 => symlink("../../out/deep", &link).unwrap(),
            _ => fs::hard_link(dir.join("out/file"), &link).unwrap(),
        }
    }
}

fn spelled(path: &str, how: u8) -> String {
    match how {
        1 => path.replace('/', "//"),
        2 => path.replace('/', "/./"),
        3 => path.to_uppercase(),
        4 => format!("{path}/"),
        5 => format!("x/../{path}"),
        6 => path.replace('/', "/%2e%2e/%2e/"),
        7 => format!("./{path}/../../out/file"),
        8 => "notes/link0".to_owned(),
        9 => "notes/link1/main.py".to_owned(),
        10 => ".git/main.py".to_owned(),
        11 => "code/../.PROOFHOUSE/main.py".to_owned(),
        _ => path.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_outside_the_folder_comes_back(
        links in prop::collection::vec(any::<u8>(), 0..5),
        asked in prop::collection::vec((0..INNER.len(), 0..13u8), 1..12),
    ) {
        let dir = dir();
        plant(dir.path(), &links);
        let files = Files::open(&dir.path().join("in")).unwrap();
        let before = snapshot(&dir.path().join("out"));
        let marked = Grep::parse("outside").unwrap().case(Case::Insensitive).unwrap();
        let mut starts = vec![Rel::root()];
        for (inner, how) in asked {
            if let Ok(path) = Rel::parse(&spelled(INNER[inner], how)) {
                starts.extend(path.parent());
                starts.push(path);
            }
        }
        for path in &starts {
            if let Ok(bytes) = files.read(path) {
                prop_assert_ne!(bytes, b"OUTSIDE\n");
            }
            for one in files.ls(path).map(|listed| listed.items).unwrap_or_default() {
                let at = dir.path().join("in").join(one.path.as_str());
                prop_assert!(!at.is_symlink(), "{} was named", one.path);
            }
            let glob = Glob::parse("**").unwrap().under(path);
            for found in files.glob(&glob).map(|found| found.items).unwrap_or_default() {
                // A hard link has a name like any other, and is not read.
                let code = files.read(&found).err().map(|denied| denied.code());
                prop_assert!(matches!(code, None | Some(Code::NotPlain)), "{found} was named");
            }
            let hits = files.grep(&marked.clone().under(path));
            prop_assert!(hits.map(|hits| hits.items).unwrap_or_default().is_empty());
            let _ = files.edit(path, "OUTSIDE", "MINE", Which::All);
            let _ = files.write(path, b"MINE");
        }
        prop_assert_eq!(snapshot(&dir.path().join("out")), before);
    }

    #[test]
    fn a_parsed_path_is_normal_and_stays_inside(text in r"(\.|/|\.\.|%2e|[a-zA-ZäΩ\\ \x00-\x1f]){0,12}") {
        if let Ok(path) = Rel::parse(&text) {
            prop_assert_eq!(&Rel::parse(path.as_str()).unwrap(), &path);
            prop_assert!(path.names().all(|name| !matches!(name, "" | "." | "..")));
            prop_assert!(!path.as_str().starts_with('/') && !path.as_str().contains('\0'));
        }
    }
}

fn snapshot(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let walked = store::walk(dir, &|_| false).unwrap();
    let read = |path: std::path::PathBuf| {
        let bytes = fs::read(dir.join(&path)).unwrap();
        (path.to_str().unwrap().to_owned(), bytes)
    };
    walked.into_iter().map(read).collect()
}
