//! Ways around a policy that a change might try: through the history, the names of refs, the settings that come
//! along with it. Each has its honest twin, which nobody is to be bothered with.

use crate::support::{Said, World, says};

/// A repository whose branch `main` has these files and a policy, as a server has it.
fn base(policy: &str, files: &[(&str, &str)]) -> World {
    let world = World::of_ann();
    let ignored = "agent/\n.proofhouse/*\n!.proofhouse/policy.toml\n!.proofhouse/approvers\n";
    world.write(".gitignore", ignored);
    world.write(".proofhouse/policy.toml", policy);
    for (path, text) in files {
        world.write(path, text);
    }
    world.commit("base");
    on_server(&world);
    world
}

/// What stands here is what the server has as `main`.
fn on_server(world: &World) {
    world.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
}

fn covers(world: &World) -> Said {
    says(world, &["audit", "--covers", "origin/main..HEAD", "--json"])
}

fn refused(world: &World, code: &str) -> Said {
    says(world, &["audit", "--covers", "origin/main..HEAD"]).refuses(1, code)
}

fn named(said: &Said) -> Vec<String> {
    let facts = said.json();
    let open = facts["covers"]["uncovered"].as_array().unwrap();
    let path = |one: &serde_json::Value| one["path"].as_str().unwrap().to_owned();
    open.iter().map(path).collect()
}

fn merged(world: &World, strategy: &[&str], other: &str) {
    let by = ["-c", "user.name=t", "-c", "user.email=t@t", "merge"];
    let args = [&by[..], &["--quiet", "--no-edit"], strategy, &[other]];
    world.git(&args.concat());
}

/// The branch took the change in, and the change takes the branch in: git may begin to compare at either side, and
/// on one of them a file is still as it was before it was mended.
#[test]
fn a_merge_in_both_directions_hides_no_file() {
    let world = base("require = [\"f.txt\"]\n", &[("f.txt", "broken\n")]);
    let old = world.git(&["rev-parse", "HEAD"]);
    world.write("f.txt", "mended\n");
    let mended = world.commit("mend it");
    world.git(&["checkout", "--quiet", "-B", "theirs", &old]);
    world.write("other.txt", "o\n");
    let theirs = world.commit("something else");
    world.git(&["checkout", "--quiet", "main"]);
    merged(&world, &[], "theirs");
    on_server(&world);
    for (strategy, open) in [(&["-s", "ours"][..], &["f.txt"][..]), (&[], &[])] {
        world.git(&["checkout", "--quiet", "-B", "change", &theirs]);
        merged(&world, strategy, &mended);
        let bases = world.git(&["merge-base", "--all", "origin/main", "HEAD"]);
        assert_eq!(bases.lines().count(), 2, "the premise");
        let code = if open.is_empty() { 0 } else { 1 };
        assert_eq!(named(&covers(&world).exits(code)), open);
    }
}

/// A `.gitmodules` may say that nobody is to be told which commit of a repository within this one is meant.
#[test]
fn what_lies_in_a_repository_within_is_told_whatever_its_settings_say() {
    let modules = "[submodule \"v\"]\n\tpath = v\n\turl = ./v\n\tignore = all\n";
    let world = base("require = [\"v\"]\n", &[(".gitmodules", modules)]);
    let meant = |commit: &str| {
        let entry = format!("160000,{commit},v");
        world.git(&["update-index", "--add", "--cacheinfo", &entry]);
        let by = ["-c", "user.name=t", "-c", "user.email=t@t", "commit"];
        world.git(&[&by[..], &["--quiet", "-m", "v"]].concat());
    };
    meant(&"1".repeat(40));
    on_server(&world);
    world.write("a.txt", "a\n");
    world.git(&["add", "a.txt"]);
    meant(&"1".repeat(40));
    assert_eq!(named(&covers(&world).exits(0)), ["a.txt"]);
    meant(&"2".repeat(40));
    assert_eq!(named(&covers(&world).exits(1)), ["a.txt", "v"]);
}

/// Who may push a tag chooses by whose policy they are judged, if a tag of that name comes first.
#[test]
fn a_name_that_another_hides_is_not_taken() {
    let world = base("require = [\"**\"]\n", &[]);
    world.git(&["checkout", "--quiet", "-b", "change"]);
    world.write("a.txt", "a\n");
    world.commit("by hand");
    covers(&world).exits(1);
    for hides in ["refs/tags/origin/main", "refs/heads/origin/main"] {
        world.git(&["update-ref", hides, "HEAD"]);
        let said = refused(&world, "span_invalid");
        assert!(
            said.err.contains("refs/remotes/origin/main"),
            "{}",
            said.err
        );
        let full = [
            "audit",
            "--covers",
            "refs/remotes/origin/main..HEAD",
            "--json",
        ];
        assert_eq!(named(&says(&world, &full).exits(1)), ["a.txt"]);
        // One that means the same hides nothing.
        world.git(&["update-ref", hides, "refs/remotes/origin/main"]);
        assert_eq!(named(&covers(&world).exits(1)), ["a.txt"]);
        world.git(&["update-ref", "-d", hides]);
    }
}

/// A change that brings along who signs for it.
#[test]
fn nobody_signs_who_is_listed_by_the_change_alone() {
    let world = base("require = [\"code.txt\"]\nsigned = true\n", &[]);
    world.git(&["checkout", "--quiet", "-b", "change"]);
    world.approver("mallory");
    world.commit("list myself");
    let said = refused(&world, "policy_invalid");
    assert!(said.err.contains("nobody is listed"), "{}", said.err);
    // Listed where it is to go, the list counts.
    on_server(&world);
    world.write("code.txt", "good\n");
    world.commit("by hand");
    assert_eq!(named(&covers(&world).exits(1)), ["code.txt"]);
}

/// A name that is no text is told in another spelling, and the policy is about the file.
#[test]
fn a_policy_is_about_files_and_not_about_how_they_are_spelled() {
    use std::os::unix::ffi::OsStrExt;
    let world = base("require = [\"src/**\"]\n", &[]);
    world.git(&["checkout", "--quiet", "-b", "change"]);
    std::fs::create_dir(world.at("src")).unwrap();
    let odd = world
        .path()
        .join(std::ffi::OsStr::from_bytes(b"src/a\xff.rs"));
    std::fs::write(odd, "by hand\n").unwrap();
    world.commit("by hand");
    let said = covers(&world).exits(1);
    assert_eq!(said.json()["covers"]["uncovered"][0]["required"], true);
    // One elsewhere is nobody's business.
    let world = base("require = [\"src/**\"]\n", &[]);
    world.git(&["checkout", "--quiet", "-b", "change"]);
    let odd = world
        .path()
        .join(std::ffi::OsStr::from_bytes(b"doc-\xff.md"));
    std::fs::write(odd, "by hand\n").unwrap();
    world.commit("by hand");
    covers(&world).exits(0);
}

/// Whoever names files by a link gives them other names.
#[test]
fn a_link_in_the_place_of_a_folder_is_asked_for_like_its_files() {
    let link = |place: &str| {
        let world = base("require = [\"lib/**\"]\n", &[]);
        world.git(&["checkout", "--quiet", "-b", "change"]);
        world.write("other/a.sh", "by hand\n");
        std::os::unix::fs::symlink("other", world.at(place)).unwrap();
        world.commit("by hand");
        covers(&world)
    };
    let said = link("lib").exits(1);
    assert_eq!(named(&said), ["lib", "other/a.sh"]);
    link("elsewhere").exits(0);
}
