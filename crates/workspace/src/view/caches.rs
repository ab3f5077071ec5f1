//! Caches that tools leave where they ran: nobody's work. Who merely ran the tests has not written them,
//! so they are neither judged against a role's scope nor taken back. What a cache is, its folder says:
//! by the tag that tools put there for this, or because Python compiled into it.

use std::path::Path;

/// What `CACHEDIR.TAG` begins with, as bford.info/cachedir has it.
const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Does this path of a view lie in a cache?
pub(super) fn is_left(view: &Path, path: &Path) -> bool {
    let compiled = path.extension().is_some_and(|it| it == "pyc");
    let mut folders = path.ancestors().skip(1);
    folders.any(|folder| {
        let named = folder.ends_with("__pycache__");
        !folder.as_os_str().is_empty() && (named && compiled || is_tagged(&view.join(folder)))
    })
}

fn is_tagged(folder: &Path) -> bool {
    let tag = folder.join("CACHEDIR.TAG");
    let is_file = tag.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file && std::fs::read(tag).is_ok_and(|text| text.starts_with(SIGNATURE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_known_by_its_tag_or_by_what_python_compiled() {
        let view = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &[u8]| {
            let path = view.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(".ruff_cache/CACHEDIR.TAG", &[SIGNATURE, b"\n"].concat());
        write("mine/CACHEDIR.TAG", b"I say so");
        let is_left = |path: &str| is_left(view.path(), Path::new(path));
        assert!(is_left("a/__pycache__/b.cpython-312.pyc"));
        assert!(is_left(".ruff_cache/0.1/x") && is_left(".ruff_cache/CACHEDIR.TAG"));
        for work in [
            "a/__pycache__/conftest.py",
            "a/b.pyc",
            "mine/x",
            "CACHEDIR.TAG",
        ] {
            assert!(!is_left(work), "{work}");
        }
    }
}
