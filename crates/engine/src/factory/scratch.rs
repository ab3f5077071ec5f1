//! A module laid out where its tests can be run: implementation, tests, and the modules that it uses
//! beside it. In Rust each is a crate, in Python each a package on the path, in JavaScript each a name
//! of the folder's `package.json`.
//!
//! The layout is what makes tests black-box: they have what is public and nothing else. It refuses
//! links, modules of another language, and used modules that are not as they were sealed.

use super::module_error::ModuleError;
use super::modules::{LOG, Seal, Stored};
use ::factory::project::ModuleRef;
use index::Dependency;
use languages::rust::EDITION;
use languages::{Language, javascript, python};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module that is laid out.
pub(super) struct Laid {
    pub(super) language: Language,
    /// The folder.
    pub(super) top: PathBuf,
    /// What code calls it: `MM-slug` is `mm_slug`.
    pub(super) name: String,
    /// The modules that it uses, directly or not, by that name.
    pub(super) uses: BTreeMap<String, Stored>,
    /// Those of them that its contract depends on.
    pub(super) direct: BTreeSet<String>,
    /// Where they are, below the folder.
    pub(super) path: Vec<String>,
    /// What was copied of the module, by its path there and its hash.
    copied: BTreeMap<String, String>,
}

impl Laid {
    /// Where the module's own code is.
    pub(super) fn code(&self) -> PathBuf {
        self.top.join(match self.language {
            Language::Rust | Language::JavaScript => "implementation",
            Language::Python => &self.name,
        })
    }

    /// The modules that are there because those it depends on use them.
    pub(super) fn beyond(&self) -> Vec<String> {
        let all = self.uses.keys();
        all.filter(|one| !self.direct.contains(*one))
            .cloned()
            .collect()
    }

    /// Is the copy what was judged? Somebody may have written between the two.
    pub(super) fn is_of(&self, judged: &Seal) -> Result<(), ModuleError> {
        let names = differing(&self.copied, judged);
        if names.is_empty() {
            return Ok(());
        }
        let when = "while it was laid out";
        Err(ModuleError::Changed { when, names })
    }
}

/// What of a copy is not as it was judged, and what of the code is not in the copy.
fn differing(copied: &BTreeMap<String, String>, judged: &Seal) -> Vec<String> {
    let code = |name: &&String| name.starts_with("implementation/") || name.starts_with("tests/");
    let names: BTreeSet<&String> = copied
        .keys()
        .chain(judged.files.keys().filter(code))
        .filter(|name| name.as_str() != LOG)
        .collect();
    let differs = |name: &&String| copied.get(*name) != judged.files.get(*name);
    names.into_iter().filter(differs).cloned().collect()
}

/// `MM-slug` is the crate `mm-slug`, and `mm_slug` in code.
pub(super) fn package(reference: &ModuleRef) -> String {
    reference.module.as_str().to_lowercase()
}

pub(super) fn code_name(reference: &ModuleRef) -> String {
    package(reference).replace('-', "_")
}

/// What a module is written in.
pub(super) fn language(module: &Stored) -> Result<Language, ModuleError> {
    let files = module.texts("implementation")?;
    Language::of(files.keys().map(String::as_str)).map_err(|source| ModuleError::NoLanguage {
        module: module.reference.clone(),
        source,
    })
}

/// Lays the module out in `to`, which is made anew.
pub(super) fn lay_out(root: &Path, module: &Stored, to: &Path) -> Result<Laid, ModuleError> {
    if to.symlink_metadata().is_ok() {
        store::remove_tree(to).map_err(ModuleError::file(to.display()))?;
    }
    let mut laid = Laid {
        language: language(module)?,
        top: to.to_owned(),
        name: code_name(&module.reference),
        uses: BTreeMap::new(),
        direct: BTreeSet::new(),
        path: vec![".".to_owned()],
        copied: BTreeMap::new(),
    };
    one(root, module, Path::new(""), &mut laid)?;
    let tests = module.folder.join("tests");
    if !tests.is_dir() {
        return Err(ModuleError::NoTests(module.reference.clone()));
    }
    laid.copied
        .extend(copy(&tests, &to.join("tests"), "tests")?);
    match laid.language {
        Language::Rust => {}
        Language::Python => write(&to.join("run_tests.py"), python::RUNNER.as_bytes())?,
        Language::JavaScript => {
            let manifest = javascript::manifest(roots(&laid));
            write(&to.join("package.json"), manifest.as_bytes())?;
        }
    }
    Ok(laid)
}

/// What code calls each module that is laid out, and where its root is.
fn roots(laid: &Laid) -> Vec<(&str, String)> {
    let root = |place: &str| format!("{place}implementation/{}", laid.language.root());
    let mut all = vec![(laid.name.as_str(), root(""))];
    for (name, used) in &laid.uses {
        let place = place(&used.reference);
        all.push((name, root(&format!("{place}/"))));
    }
    all
}

/// Where a used module lies.
fn place(used: &ModuleRef) -> String {
    format!("uses/{}-{}", package(used), used.version)
}

fn one(root: &Path, module: &Stored, at: &Path, laid: &mut Laid) -> Result<(), ModuleError> {
    let folder = laid.top.join(at);
    let inside = match laid.language {
        Language::Rust | Language::JavaScript => "implementation".to_owned(),
        Language::Python => code_name(&module.reference),
    };
    let code = module.folder.join("implementation");
    let copied = copy(&code, &folder.join(inside), "implementation")?;
    if at.as_os_str().is_empty() {
        laid.copied = copied;
    } else {
        // What is used was sealed, and the copy of it is that.
        let mut sealed = module.tested()?;
        let code = |name: &String| name.starts_with("implementation/");
        sealed.files.retain(|name, _| code(name));
        let names = differing(&copied, &sealed);
        if !names.is_empty() {
            let module = module.reference.clone();
            return Err(ModuleError::SealBroken { module, names });
        }
    }
    let mut crates = String::new();
    for dependency in module.contract()?.dependencies {
        let used = find(root, &dependency.reference)?;
        whole(&used, laid.language)?;
        let name = package(&used.reference);
        let place = place(&used.reference);
        if at.as_os_str().is_empty() {
            laid.direct.insert(code_name(&used.reference));
        }
        // From where this one lies: a path from the root would need TOML's own escapes.
        let from_here = if at.as_os_str().is_empty() {
            ""
        } else {
            "../../"
        };
        crates.push_str(&format!("{name} = {{ path = \"{from_here}{place}\" }}\n"));
        if !laid.path.contains(&place) {
            laid.path.push(place.clone());
            laid.uses.insert(code_name(&used.reference), used.clone());
            one(root, &used, Path::new(&place), laid)?;
        }
    }
    if laid.language != Language::Rust {
        return Ok(());
    }
    // The empty workspace keeps cargo from looking for one above. The library is never built for
    // tests: what stands behind `cfg(test)` is not what ships, and tests in there are no black box.
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"{}\"\nedition = \"{EDITION}\"\npublish = false\n\n[lib]\npath = \"implementation/lib.rs\"\ntest = false\ndoctest = false\n\n[dependencies]\n{crates}{}",
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

/// A used module is as it was sealed, and in the same language.
fn whole(used: &Stored, wanted: Language) -> Result<(), ModuleError> {
    let module = used.reference.clone();
    let names = used.broken()?;
    if !names.is_empty() {
        return Err(ModuleError::SealBroken { module, names });
    }
    let language = language(used)?;
    if language != wanted {
        return Err(ModuleError::OtherLanguage {
            module,
            language: language.as_str(),
            wanted: wanted.as_str(),
        });
    }
    Ok(())
}

/// The newest shipped version that a dependency allows.
pub(super) fn find(root: &Path, dependency: &str) -> Result<Stored, ModuleError> {
    let wanted = Dependency::parse(dependency)?;
    let shipped = shipped(root, wanted.module_id.as_str());
    let allowed = |one: &&ModuleRef| wanted.range.contains(one.version);
    let found = shipped.iter().rfind(allowed);
    let found = found.ok_or_else(|| ModuleError::NotShipped(dependency.to_owned()))?;
    Ok(Stored::at(root, found))
}

/// The shipped versions of a module, the newest last.
pub(super) fn shipped(root: &Path, id: &str) -> Vec<ModuleRef> {
    let versions = root.join("state_store/modules").join(id);
    let mut found = Vec::new();
    for entry in fs::read_dir(&versions).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let reference = ModuleRef::parse(&format!("{id}@{name}"));
        let has = |one: &ModuleRef| Stored::at(root, one).has(super::modules::SHIP);
        found.extend(reference.ok().filter(has));
    }
    found.sort();
    found
}

fn plain_files(folder: &Path) -> Result<Vec<PathBuf>, ModuleError> {
    let files = store::walk(folder, &|path| path.ends_with("target"))?;
    match files.iter().find(|path| {
        let found = folder.join(path).symlink_metadata();
        !found.is_ok_and(|found| found.is_file())
    }) {
        Some(path) => Err(ModuleError::NotPlain(path.display().to_string())),
        None => Ok(files),
    }
}

/// Copies a folder, and says what it has copied: `inside` is the folder's name in the module.
fn copy(from: &Path, to: &Path, inside: &str) -> Result<BTreeMap<String, String>, ModuleError> {
    let mut copied = BTreeMap::new();
    for path in plain_files(from)? {
        let bytes = fs::read(from.join(&path));
        let bytes = bytes.map_err(ModuleError::file(path.display()))?;
        write(&to.join(&path), &bytes)?;
        let name = format!("{inside}/{}", path.display());
        copied.insert(name, store::sha256_hex(&bytes));
    }
    Ok(copied)
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), ModuleError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(ModuleError::file(path.display()))?;
    }
    fs::write(path, bytes).map_err(ModuleError::file(path.display()))
}
