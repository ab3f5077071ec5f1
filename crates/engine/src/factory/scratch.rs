//! A module as a crate of its own, laid out where its tests can be run: `implementation/`, `tests/`
//! and the modules that it uses, each as a crate beside it.
//!
//! The layout is what makes tests black-box: they are crates of their own and see only what is
//! public. It refuses links, and texts that would include the source past that.

use super::modules::Stored;
use ::factory::project::ModuleRef;
use index::Dependency;
use std::fs;
use std::path::{Path, PathBuf};

/// Texts by which a test would reach into the implementation.
const AROUND: [&str; 3] = ["include!", "include_str!", "#[path"];

/// `MM-slug` is the crate `mm-slug`.
fn package(reference: &ModuleRef) -> String {
    reference.module.as_str().to_lowercase()
}

/// Lays the module out in `to`, which is made anew.
pub(super) fn lay_out(root: &Path, module: &Stored, to: &Path) -> Result<(), String> {
    if to.symlink_metadata().is_ok() {
        fs::remove_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    let mut made = Vec::new();
    one(root, module, to, Path::new(""), &mut made)?;
    tests(module, to)
}

fn one(
    root: &Path,
    module: &Stored,
    top: &Path,
    at: &Path,
    made: &mut Vec<ModuleRef>,
) -> Result<(), String> {
    let folder = top.join(at);
    let (from, to) = (
        module.folder.join("implementation"),
        folder.join("implementation"),
    );
    if !from.join("lib.rs").is_file() {
        return Err(format!("{} has no implementation/lib.rs", module.reference));
    }
    copy(&from, &to)?;
    let mut uses = String::new();
    for dependency in module.contract()?.dependencies {
        let used = find(root, &dependency.reference)?;
        let name = package(&used.reference);
        let place = Path::new("uses").join(format!("{name}-{}", used.reference.version));
        let path = top.join(&place).display().to_string();
        uses.push_str(&format!("{name} = {{ path = {path:?} }}\n"));
        if !made.contains(&used.reference) {
            made.push(used.reference.clone());
            one(root, &used, top, &place, made)?;
        }
    }
    // The empty workspace keeps cargo from looking for one above.
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"{}\"\nedition = \"2021\"\npublish = false\n\n[lib]\npath = \"implementation/lib.rs\"\ndoctest = false\n\n[dependencies]\n{uses}{}",
        package(&module.reference),
        module.reference.version,
        if at.as_os_str().is_empty() {
            "\n[workspace]\n"
        } else {
            ""
        },
    );
    write(&folder.join("Cargo.toml"), manifest.as_bytes())
}

fn tests(module: &Stored, to: &Path) -> Result<(), String> {
    let from = module.folder.join("tests");
    if !from.is_dir() {
        return Err(format!("{} has no tests/", module.reference));
    }
    copy(&from, &to.join("tests"))?;
    for path in plain_files(&from)? {
        let text = fs::read_to_string(from.join(&path)).unwrap_or_default();
        if let Some(word) = AROUND.iter().find(|word| text.contains(**word)) {
            return Err(format!(
                "tests/{} uses `{word}`: tests see the public surface alone",
                path.display()
            ));
        }
    }
    Ok(())
}

/// The newest shipped version that a dependency allows.
pub(super) fn find(root: &Path, dependency: &str) -> Result<Stored, String> {
    let wanted = Dependency::parse(dependency).map_err(|error| error.to_string())?;
    let id = wanted.module_id.as_str();
    let versions = root.join("state_store/modules").join(id);
    let mut found: Option<ModuleRef> = None;
    for entry in fs::read_dir(&versions).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(reference) = ModuleRef::parse(&format!("{id}@{name}")) else {
            continue;
        };
        let Ok(version) = index::Version::parse(&name) else {
            continue;
        };
        let shipped = Stored::at(root, &reference).has(super::modules::SHIP);
        if shipped && wanted.range.contains(version) {
            found = found.max(Some(reference));
        }
    }
    let found = found.ok_or_else(|| format!("no shipped module is {dependency}"))?;
    Ok(Stored::at(root, &found))
}

fn plain_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files =
        store::walk(folder, &|path| path.ends_with("target")).map_err(|error| error.to_string())?;
    match files.iter().find(|path| {
        let found = folder.join(path).symlink_metadata();
        !found.is_ok_and(|found| found.is_file())
    }) {
        Some(path) => Err(format!("{} is no plain file", path.display())),
        None => Ok(files),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for path in plain_files(from)? {
        let bytes = fs::read(from.join(&path));
        let bytes = bytes.map_err(|error| format!("{}: {error}", path.display()))?;
        write(&to.join(&path), &bytes)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(wrong)?;
    }
    fs::write(path, bytes).map_err(wrong)
}
