//! What can be frozen in an ordinary repository: large lockfiles, links, files with secrets.

use crate::world::Example;
use crate::world::World;
use checks::run_gate;
use kernel::effect::CheckSpec;
use kernel::outcome::{CheckResult, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn judge(world: &World, check: &str, with: Value, froze: &kernel::effect::Frozen) -> CheckResult {
    let spec = CheckSpec {
        check: check.into(),
        with,
        weight: Default::default(),
        shows: None,
        code: None,
    };
    let plain = Example::default();
    let mut results = world.with(&plain, |subject| {
        let subject = checks::Subject {
            frozen: froze,
            ..*subject
        };
        run_gate(&[spec], &subject)
    });
    results.remove(0)
}

fn freeze(world: &World, items: &[&str]) -> CheckResult {
    let with = json!({"name": "it", "items": items});
    judge(world, "freeze", with, &BTreeMap::new())
}

fn frozen(world: &World, froze: &CheckResult) -> CheckResult {
    judge(world, "frozen", json!({"of": ["it"]}), &froze.froze)
}

#[test]
fn a_large_lockfile_is_frozen_by_its_hash() {
    let world = World::new();
    let path = world.dir.path().join("repo/package-lock.json");
    let mut content = vec![b' '; 5 << 20];
    std::fs::write(&path, &content).unwrap();
    let froze = freeze(&world, &["runner config"]);
    assert_eq!(froze.verdict, Verdict::Pass, "{}", froze.reason);
    assert!(world.vault.0.lock().unwrap().is_empty());
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Pass);
    content[4 << 20] = b'x';
    std::fs::write(&path, &content).unwrap();
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Fail);
}

#[test]
fn a_link_is_frozen_as_where_it_leads_to() {
    let world = World::new();
    let repo = world.dir.path().join("repo");
    std::fs::create_dir(repo.join("tests")).unwrap();
    std::fs::write(repo.join("data.txt"), "d").unwrap();
    let link = repo.join("tests/data.txt");
    std::os::unix::fs::symlink("../data.txt", &link).unwrap();
    let froze = freeze(&world, &["repo/tests/**"]);
    assert_eq!(froze.verdict, Verdict::Pass, "{}", froze.reason);
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Pass);
    // Neither another target, nor a file that holds the target's text, is the same.
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("../other.txt", &link).unwrap();
    std::fs::write(repo.join("other.txt"), "d").unwrap();
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Fail);
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&link, "../data.txt").unwrap();
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Fail);
}

#[test]
fn a_file_with_secrets_is_frozen_without_a_copy() {
    let world = World::new();
    let path = world.dir.path().join("repo/.npmrc");
    std::fs::write(&path, "//registry/:_authToken=hush\n").unwrap();
    std::fs::write(world.dir.path().join("repo/package.json"), "{}").unwrap();
    let froze = freeze(&world, &["runner config"]);
    assert_eq!(froze.verdict, Verdict::Pass, "{}", froze.reason);
    assert_eq!(froze.froze["it"].len(), 2);
    let kept: Vec<Vec<u8>> = {
        let kept = world.vault.0.lock().unwrap();
        kept.iter().map(|(_, bytes)| bytes.clone()).collect()
    };
    assert_eq!(kept, [b"{}".to_vec()]);
    std::fs::write(&path, "//registry/:_authToken=other\n").unwrap();
    assert_eq!(frozen(&world, &froze).verdict, Verdict::Fail);
}

#[test]
fn every_file_that_tells_a_runner_how_to_run_is_frozen() {
    let world = World::new();
    let repo = world.dir.path().join("repo");
    std::fs::create_dir(repo.join(".cargo")).unwrap();
    let names = [
        ".cargo/config",
        "rust-toolchain",
        "GNUmakefile",
        "sub.mk",
        "bunfig.toml",
    ];
    for name in names {
        std::fs::write(repo.join(name), "x").unwrap();
    }
    std::fs::create_dir(repo.join("inner")).unwrap();
    std::fs::write(repo.join("inner/makefile"), "x").unwrap();
    let froze = freeze(&world, &["runner config"]);
    let items: Vec<&str> = froze.froze["it"].keys().map(String::as_str).collect();
    let expected = [
        "repo/.cargo/config",
        "repo/GNUmakefile",
        "repo/bunfig.toml",
        "repo/inner/makefile",
        "repo/rust-toolchain",
    ];
    assert_eq!(items, expected);
}
