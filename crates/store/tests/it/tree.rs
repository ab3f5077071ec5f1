//! Hashes of trees: what changes them, what does not, and what is never followed.

use crate::*;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use store::{ChangeKind, Node, Tree, walk};

fn tree(root: &Path) -> Tree {
    Tree::of(root, walk(root, &|_| false).unwrap()).unwrap()
}

fn sample() -> TempDir {
    let dir = dir();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/main.rs"), "fn main() {}").unwrap();
    fs::write(dir.path().join("run.sh"), "true").unwrap();
    fs::set_permissions(dir.path().join("run.sh"), Permissions::from_mode(0o755)).unwrap();
    symlink("src/main.rs", dir.path().join("link")).unwrap();
    dir
}

#[test]
fn the_same_files_give_the_same_hash_anywhere() {
    let (one, two) = (sample(), sample());
    assert_eq!(tree(one.path()), tree(two.path()));
    assert_eq!(tree(one.path()).hash(), tree(two.path()).hash());
    // Pinned: evidence of old runs names trees by this hash.
    let pinned = format!("executable {} run.sh\0", store::sha256_hex(b"true"));
    let listing = format!(
        "link {} link\0{pinned}file {} src/main.rs\0",
        store::sha256_hex(b"src/main.rs"),
        store::sha256_hex(b"fn main() {}"),
    );
    assert_eq!(
        tree(one.path()).hash(),
        store::sha256_hex(listing.as_bytes())
    );
}

#[test]
fn every_difference_is_seen() {
    let dir = sample();
    let before = tree(dir.path());
    assert_eq!(before.diff(&before), []);
    fs::write(dir.path().join("src/main.rs"), "fn main() { }").unwrap();
    fs::set_permissions(dir.path().join("run.sh"), Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(dir.path().join("link")).unwrap();
    fs::write(dir.path().join("new"), "").unwrap();
    let after = tree(dir.path());
    let changes: Vec<_> = before
        .diff(&after)
        .into_iter()
        .map(|c| (c.path, c.kind))
        .collect();
    let expected = [
        ("link", ChangeKind::Deleted),
        ("new", ChangeKind::Added),
        ("run.sh", ChangeKind::Modified),
        ("src/main.rs", ChangeKind::Modified),
    ];
    assert_eq!(
        changes,
        expected.map(|(path, kind)| (path.to_owned(), kind))
    );
    assert_ne!(before.hash(), after.hash());
}

#[test]
fn links_are_their_text_and_folders_behind_links_do_not_exist() {
    let (dir, outside) = (sample(), sample());
    symlink(outside.path().join("src"), dir.path().join("away")).unwrap();
    symlink("/no/such/place", dir.path().join("dangling")).unwrap();
    let paths = [
        "away/main.rs",
        "away",
        "dangling",
        "gone",
        "run.sh/below",
        "src",
    ];
    let tree = Tree::of(dir.path(), paths).unwrap();
    let names: Vec<_> = tree.files.keys().map(String::as_str).collect();
    assert_eq!(names, ["away", "dangling", "src"]);
    assert_eq!(
        tree.files["dangling"],
        Node::Link {
            target: "/no/such/place".into()
        }
    );
    assert_eq!(tree.files["src"], Node::Folder);
    let before = tree.hash();
    fs::write(outside.path().join("src/main.rs"), "changed").unwrap();
    assert_eq!(Tree::of(dir.path(), paths).unwrap().hash(), before);
}

#[test]
fn odd_names_and_sockets_are_taken_as_they_are() {
    let dir = dir();
    let odd = Path::new(OsStr::from_bytes(b"a\xff\n"));
    fs::write(dir.path().join(odd), "x").unwrap();
    // Kept open to the end: a socket is something that must never be opened for reading.
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
    let tree = tree(dir.path());
    assert_eq!(tree.files["socket"], Node::Special);
    let name = store::encode_path(odd);
    assert_eq!(name, "/bytes:a%FF%0A");
    assert!(tree.files.contains_key(&name));
    assert_eq!(store::decode_path(&name).as_deref(), Some(odd));
}

#[test]
fn paths_that_lead_out_are_refused() {
    let dir = sample();
    for path in ["../x", "/etc/passwd", "src/../../x", "", "."] {
        assert_eq!(
            Tree::of(dir.path(), [path]).unwrap_err().code(),
            "bad_path",
            "{path}"
        );
    }
}

#[test]
fn an_old_reader_tolerates_members_of_a_later_version() {
    let tree = tree(sample().path());
    let mut value = serde_json::to_value(&tree).unwrap();
    assert_eq!(serde_json::from_value::<Tree>(value.clone()).unwrap(), tree);
    value["later"] = json!(1);
    value["files"]["run.sh"]["later"] = json!(1);
    value["files"]["link"]["later"] = json!(1);
    assert_eq!(serde_json::from_value::<Tree>(value).unwrap(), tree);
    let change = json!({"path": "a", "kind": "added", "later": 1});
    assert_eq!(
        serde_json::from_value::<store::Change>(change)
            .unwrap()
            .path,
        "a"
    );
}
