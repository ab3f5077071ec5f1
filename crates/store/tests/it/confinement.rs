//! Whatever the tree, the pack and the path: nothing outside the pack comes back from any of the
//! seven operations, and nothing outside it changes. Every byte that may not be seen is planted
//! with a mark of its own, and the marks are looked for in every answer.

use crate::dir;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use store::layers::{
    Backend, Case, Code, Denied, Glob, Grep, Pack, Packed, Permission, Rel, ShippedOnDisk,
    Unlisted, View, Which, Writing, state_store,
};

const MODULES: [&str; 4] = ["MM-a", "MM-A", "MM-bb", "MM-b"];
const INNER: [&str; 6] = [
    "implementation/main.py",
    "implementation/ünï/Ω.py",
    "tests/%2e%2e/test.py",
    "notes/Contract.json",
    "notes/contract.json",
    "ZZ zz.txt",
];

#[derive(Debug, Clone)]
struct Scene {
    shipped: BTreeSet<usize>,
    given: BTreeMap<usize, Permission>,
    excluded: BTreeSet<usize>,
    unlisted: bool,
    links: Vec<(usize, usize, usize)>,
    paths: Vec<(usize, usize, u8)>,
}

fn permission() -> impl Strategy<Value = Permission> {
    prop_oneof![
        Just(Permission::Full),
        Just(Permission::ContractOnly),
        Just(Permission::SummaryOnly),
        Just(Permission::MetadataOnly),
    ]
}

fn case() -> impl Strategy<Value = Scene> {
    (
        prop::collection::btree_set(0..4usize, 0..4),
        prop::collection::btree_map(0..4usize, permission(), 0..4),
        prop::collection::btree_set(0..4usize, 0..2),
        any::<bool>(),
        prop::collection::vec((0..4usize, 0..4usize, 0..9usize), 0..5),
        prop::collection::vec((0..4usize, 0..10usize, 0..10u8), 1..12),
    )
        .prop_map(|(shipped, given, excluded, unlisted, links, paths)| Scene {
            shipped,
            given,
            excluded,
            unlisted,
            links,
            paths,
        })
}

fn surfaces(module: usize) -> [(&'static str, String); 3] {
    [
        (
            "contract.json",
            format!(
                r#"{{"module_id":"mark{module}id","name":"mark{module}id","purpose":"mark{module}sum","tags":["mark{module}sum"],"inputs":["mark{module}con"]}}"#
            ),
        ),
        ("examples.md", format!("mark{module}con\n")),
        (
            "ship.json",
            format!(
                r#"{{"module_id":"mark{module}id","verified_at":"mark{module}sum","verification":{{"result":"PASS","x":"mark{module}con"}}}}"#
            ),
        ),
    ]
}

fn files(module: usize, shipped: bool) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (name, text) in surfaces(module) {
        if name != "ship.json" || shipped {
            files.push((name.to_owned(), text));
        }
    }
    for name in INNER {
        let sealed = name.starts_with("implementation") || name.starts_with("tests");
        let mark = if sealed { "sealed" } else { "full" };
        files.push((name.to_owned(), format!("mark{module}{mark}\n")));
    }
    files
}

/// What may be seen, said a second time and in another way than the view says it.
fn marks(case: &Scene) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    for (module, id) in MODULES.iter().enumerate() {
        let twin = |other: &usize| MODULES[*other].eq_ignore_ascii_case(id);
        // Another spelling of an excluded name is kept away as well.
        if case.excluded.iter().any(twin) {
            continue;
        }
        let default = case.unlisted.then_some(Permission::ContractOnly);
        let kinds: &[&str] = match case.given.get(&module).copied().or(default) {
            None => &[],
            Some(Permission::MetadataOnly) => &["id"],
            Some(Permission::SummaryOnly) => &["id", "sum"],
            Some(Permission::ContractOnly) => &["id", "sum", "con"],
            Some(Permission::Full) if case.shipped.contains(&module) => {
                &["id", "sum", "con", "full"]
            }
            Some(Permission::Full) => &["id", "sum", "con", "full", "sealed"],
        };
        marks.extend(kinds.iter().map(|kind| format!("mark{module}{kind}")));
    }
    marks
}

fn plant(dir: &Path, case: &Scene) {
    for (module, id) in MODULES.iter().enumerate() {
        let folder = dir.join(format!("store/modules/{id}/1.0.0"));
        for (name, text) in files(module, case.shipped.contains(&module)) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    fs::write(dir.join("outside"), "mark9outside\n").unwrap();
    for (n, (from, to, which)) in case.links.iter().enumerate() {
        let target = dir.join(format!("store/modules/{}/1.0.0", MODULES[*to]));
        let target = INNER
            .get(*which)
            .map_or(dir.join("outside"), |name| target.join(name));
        let link = dir.join(format!(
            "store/modules/{}/1.0.0/notes/link{n}",
            MODULES[*from]
        ));
        match n % 3 {
            0 => symlink(&target, &link).unwrap(),
            1 => symlink(target.parent().unwrap(), &link).unwrap(),
            _ => fs::hard_link(dir.join("outside"), &link).unwrap(),
        }
    }
}

fn role(dir: &Path, case: &Scene) -> Packed {
    let one = |module: &usize| format!("{}@1.0.0", MODULES[*module]);
    let included: Vec<_> = case
        .given
        .iter()
        .map(|(module, permission)| serde_json::json!({"ref": one(module), "permission": permission, "reason": "r"}))
        .collect();
    let excluded: Vec<_> = case
        .excluded
        .iter()
        .map(|module| serde_json::json!({"ref": one(module), "reason": "r"}))
        .collect();
    let pack = serde_json::json!({
        "context_pack_id": "CP-00000001",
        "created_for": {"role": "proposer", "run_id": "r", "task_ref": "T-1"},
        "included_refs": included, "excluded_refs": excluded,
        "default_permission": "CONTRACT_ONLY", "created_at": "now",
    });
    let pack = Pack::parse(pack.to_string().as_bytes()).unwrap();
    let store = state_store(&dir.join("store"), &Rel::root(), &|files| {
        Arc::new(ShippedOnDisk(files))
    });
    let store = store.unwrap();
    let unlisted = match case.unlisted {
        true => Unlisted::AtDefault,
        false => Unlisted::Absent,
    };
    let view = View::of(&pack, &store, &Rel::root(), &BTreeMap::new(), unlisted).unwrap();
    Packed::new(Arc::new(store), view)
}

fn spelled(path: &str, how: u8) -> String {
    match how {
        1 => path.replace('/', "//"),
        2 => path.replace('/', "/./"),
        3 => path.to_uppercase(),
        4 => format!("{path}/"),
        5 => path.replace("modules/", "modules/x/../"),
        6 => path.replace('/', "/%2e%2e/%2e/"),
        7 => format!("./{path}/../../1.0.0/contract.json"),
        8 => path.replacen("/1.0.0", "/1.0.0/notes/link0", 1),
        9 => format!(
            "{}/notes/link2",
            path.split("/1.0.0").next().unwrap_or_default()
        )
        .replacen("/notes", "/1.0.0/notes", 1),
        _ => path.to_owned(),
    }
}

/// Links are named as such only inside what the role may change.
fn given_in_full(path: &Rel, case: &Scene) -> bool {
    let module = MODULES
        .iter()
        .position(|id| path.names().nth(1) == Some(*id));
    module.is_some_and(|module| case.given.get(&module) == Some(&Permission::Full))
}

/// Every mark in an answer must be allowed.
fn judge(answer: &str, allowed: &BTreeSet<String>) {
    for (at, _) in answer.match_indices("mark") {
        let mark: String = answer[at..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect();
        assert!(allowed.contains(&mark), "{mark} came out in {answer:?}");
    }
}

fn judge_name(path: &Rel, case: &Scene, allowed: &BTreeSet<String>) {
    let Some(rest) = path.as_str().strip_prefix("modules/") else {
        assert_eq!(path.as_str(), "modules");
        return;
    };
    let id = rest.split('/').next().unwrap();
    let module = MODULES.iter().position(|known| *known == id).unwrap();
    let kind = |kind: &str| allowed.contains(&format!("mark{module}{kind}"));
    let inner = rest.splitn(3, '/').nth(2).unwrap_or_default();
    let shown = match inner {
        // The folders above a version: a module that is excluded leaves its own folder bare.
        "" if rest.contains('/') => kind("id"),
        "" => kind("id") || case.unlisted || case.given.contains_key(&module),
        "contract.json" | "ship.json" => kind("id"),
        "examples.md" => kind("con"),
        inner if inner.starts_with("implementation") || inner.starts_with("tests") => {
            kind("sealed")
        }
        _ => kind("full"),
    };
    assert!(shown, "{path} was named");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_outside_the_pack_comes_back(case in case()) {
        let dir = dir();
        plant(dir.path(), &case);
        let role = role(dir.path(), &case);
        let allowed = marks(&case);
        let before = snapshot(dir.path());

        let marked = Grep::parse("MARK.").unwrap().case(Case::Insensitive).unwrap();
        let mut starts = vec![Rel::root()];
        for (module, inner, how) in &case.paths {
            let name = ["contract.json", "examples.md", "ship.json", ""];
            let name = INNER.iter().chain(&name).nth(*inner).unwrap();
            let text = spelled(&format!("modules/{}/1.0.0/{name}", MODULES[*module]), *how);
            if let Ok(path) = Rel::parse(&text) {
                starts.extend(path.parent());
                starts.push(path);
            }
        }
        for path in &starts {
            match role.read(path) {
                Ok(bytes) => judge(&String::from_utf8(bytes).unwrap(), &allowed),
                Err(denied) => {
                    judge(denied.what(), &allowed);
                    // Hidden or absent: the answer is made of the question alone.
                    let absent = denied == Denied::not_found(path);
                    let on_disk = dir.path().join("store").join(path.as_str());
                    let link = denied.code() == Code::NotPlain && given_in_full(path, &case);
                    let other = link || !on_disk.is_file();
                    prop_assert!(absent || denied.is_message() || other, "{denied:?}");
                }
            }
            if let Ok(listed) = role.ls(path) {
                for one in listed.items {
                    judge_name(&one.path, &case, &allowed);
                }
            }
            let glob = Glob::parse("**").unwrap().under(path);
            for found in role.glob(&glob).map(|found| found.items).unwrap_or_default() {
                judge_name(&found, &case, &allowed);
            }
            let grep = marked.clone().under(path);
            for hit in role.grep(&grep).map(|hits| hits.items).unwrap_or_default() {
                judge_name(&hit.path, &case, &allowed);
                judge(&hit.text, &allowed);
            }
        }
        // The root's search finds everything that is allowed and on the disk.
        let grep = Grep::parse("mark").unwrap();
        let all: String = role.grep(&grep).unwrap().items.into_iter().map(|hit| hit.text).collect();
        for mark in allowed.iter().filter(|mark| mark.ends_with("con") || mark.ends_with("full")) {
            prop_assert!(all.contains(mark.as_str()), "{mark} is missing");
        }
        for path in &starts {
            let _ = role.edit(path, "mark", "MINE", Which::All);
            let _ = role.write(path, b"MINE", Writing::NewOnly);
            let _ = role.write(path, b"MINE", Writing::MayReplace);
            let _ = role.delete(path);
        }
        let after = snapshot(dir.path());
        for (path, text) in &before {
            let full = MODULES.iter().enumerate().any(|(module, id)| {
                allowed.contains(&format!("mark{module}full"))
                    && !case.shipped.contains(&module)
                    && path.starts_with(&format!("store/modules/{id}/"))
            });
            prop_assert!(full || after.get(path) == Some(text), "{path} was changed");
        }
        for path in after.keys().filter(|path| !before.contains_key(*path)) {
            let full = path.strip_prefix("store/modules/").and_then(|rest| {
                let module = MODULES.iter().position(|id| rest.starts_with(&format!("{id}/")))?;
                Some(case.given.get(&module) == Some(&Permission::Full))
            });
            prop_assert_eq!(full, Some(true), "{} was made", path);
        }
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
    let plain = walked
        .into_iter()
        .filter(|path| !dir.join(path).is_symlink());
    plain
        .map(|path| {
            (
                path.to_str().unwrap().to_owned(),
                fs::read(dir.join(&path)).unwrap(),
            )
        })
        .collect()
}
