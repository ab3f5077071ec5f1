//! What can be frozen: whole files (`repo/src/a.rs`, `task/X.md`) and sections of Markdown files
//! (`task/X.md#3 Contract`), by the hash of their bytes; and tests inside of other files
//! (`repo/src/a.rs#test ac_1`, `repo/package.json#tests`). No link is followed, so that a frozen
//! name always means the same place.

use crate::error::Error;
use crate::readers::{installed, paths, sources};
use crate::{Place, Subject};
use documents::markdown;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use kernel::pattern::{Named, field_in, filled_in, not_a_list};
use languages::manifests::settings;
use languages::recipes;
use languages::runners::files::{ACTING, CI, DECIDING, Decides, IDLE, TESTS};
use languages::rust::inline_tests;
use languages::test_texts::fixtures_added;
use std::path::Path;

/// More than this in a task folder is no task; nothing of ours should walk it for ever.
const MOST_FILES: usize = 20_000;

/// The commands that a person set for the run.
pub(crate) const COMMANDS: &str = "commands";
/// Every file that decides how tests are found and run, see [`DECIDING`].
const RUNNER_CONFIG: &str = "runner config";
/// Every file that is a test, see [`TESTS`].
const TEST_FILES: &str = "test files";

/// Every folder of installed dependencies that git ignores, see [`installed`].
const DEPENDENCIES: &str = "dependencies";
/// What only says how tests run: of manifests the parts that do, and no lockfile, which honest work
/// may have to change.
const TEST_CONFIG: &str = "test config";
/// What makes a line that tests mean something else, see [`recipes`].
pub(crate) const TEST_RECIPES: &str = "test recipes";
/// Every recipe that the commands start, and that one starts in turn, each by itself.
pub(crate) const STARTED_RECIPES: &str = "started recipes";
/// Every test function inside of a Rust source, by itself: the code beside it may change.
const INLINE_TESTS: &str = "inline tests";
/// Every file that says what is tried elsewhere, see [`CI`].
pub(crate) const CI_FILES: &str = "ci files";
/// Every file on which tools act by themselves, see [`ACTING`].
pub(crate) const ACTING_FILES: &str = "acting files";
/// Every source of the repository, see [`sources::is_source`].
const SOURCES: &str = "sources";
/// Words for many items.
const WORDS: [&str; 11] = [
    ACTING_FILES,
    CI_FILES,
    COMMANDS,
    TEST_FILES,
    RUNNER_CONFIG,
    TEST_CONFIG,
    TEST_RECIPES,
    STARTED_RECIPES,
    DEPENDENCIES,
    INLINE_TESTS,
    SOURCES,
];
/// What follows the `#` of an item in a manifest, and in a Rust source before a test's name.
const OF_MANIFEST: &str = "tests";
const OF_SOURCE: &str = "test ";
/// What follows it before a recipe's name.
const OF_RECIPE: &str = "recipe ";

/// The files that decide how tests are found and run, as patterns.
pub(crate) fn runner_files() -> Vec<String> {
    deciding(|_| true)
}

/// The files that are tests, as patterns.
pub(crate) fn test_files() -> Vec<String> {
    TESTS.iter().map(|glob| format!("repo/{glob}")).collect()
}

/// The files that say what is tried elsewhere, as patterns.
pub(crate) fn ci_files() -> Vec<String> {
    CI.iter().map(|glob| format!("repo/{glob}")).collect()
}

/// Manifests and lockfiles, as patterns.
pub(crate) fn package_files() -> Vec<String> {
    deciding(|decides| decides == Decides::Packages)
}

fn deciding(which: impl Fn(Decides) -> bool) -> Vec<String> {
    let recipes = recipes::FILES.map(|(name, _)| (name, Decides::Building));
    let rows = DECIDING.iter().chain(&recipes);
    let rows = rows.filter(|(_, decides)| which(*decides));
    rows.map(|(name, _)| format!("repo/**/{name}")).collect()
}

/// The manifests and lockfiles that patterns open for later work.
pub(crate) struct Opened {
    files: GlobSet,
    inside: GlobSet,
    outside: GlobSet,
}

impl Opened {
    pub(crate) fn by(subject: &Subject<'_>, patterns: &[String]) -> Result<Self, Error> {
        let named = spelt_out(subject, patterns)?;
        Ok(Self {
            files: globs(&package_files())?,
            inside: globs(&named.inside)?,
            outside: globs(&named.outside)?,
        })
    }

    pub(crate) fn holds(&self, item: &str) -> bool {
        self.files.is_match(item) && self.inside.is_match(item) && !self.outside.is_match(item)
    }
}

/// What of an opened file stays frozen: the part of a manifest that says how tests run, if it does.
pub(crate) fn of_tests(subject: &Subject<'_>, item: &str) -> Option<String> {
    let text = paths::read(subject.place, item).ok()?;
    let says = settings::is_manifest(item)
        && settings::of_tests(item, &text).is_ok_and(|said| !said.is_empty());
    says.then(|| format!("{item}#{OF_MANIFEST}"))
}

/// The bytes of an item of a gate now; or in a few words why there are none.
pub(crate) fn now(subject: &Subject<'_>, item: &str) -> Result<Vec<u8>, Error> {
    match item {
        COMMANDS => Ok(subject.commands.join("\n").into_bytes()),
        _ => bytes(subject.place, item),
    }
}

/// The bytes of a file or a section now, without the engine's own lines; or in a few words why
/// there are none.
pub fn bytes(place: Place<'_>, item: &str) -> Result<Vec<u8>, Error> {
    let (file, heading) = match item.split_once('#') {
        Some((file, heading)) => (file, Some(heading)),
        None => (item, None),
    };
    let views = match file.strip_prefix("task/") {
        Some(name) if name == place.views.file => place.views.lines,
        _ => &[],
    };
    let Some(heading) = heading else {
        let bytes = paths::bytes(place, item)?;
        return Ok(match (views.is_empty(), std::str::from_utf8(&bytes)) {
            (false, Ok(text)) => without(text, views).into_bytes(),
            _ => bytes,
        });
    };
    let text = paths::read(place, file)?;
    if heading == OF_MANIFEST && settings::is_manifest(file) {
        let settings = settings::of_tests(file, &text)?;
        return match settings.is_empty() {
            true => Err("says nothing about tests".into()),
            false => Ok(settings.into_bytes()),
        };
    }
    if let Some(name) = heading
        .strip_prefix(OF_RECIPE)
        .filter(|_| of_recipe(item).is_some())
    {
        let recipe = recipes::text_of(file, &text, name);
        let recipe = recipe.ok_or_else(|| Error::from(format!("has no recipe `{name}`")))?;
        return Ok(recipe.into_bytes());
    }
    if let Some(name) = heading.strip_prefix(OF_SOURCE).filter(|_| is_rust(file)) {
        let found = inline_tests::test_function(&text, name).map(String::into_bytes);
        return found.ok_or_else(|| format!("has no test `{name}`").into());
    }
    Ok(without(markdown::source(&text, heading)?, views).into_bytes())
}

fn is_rust(file: &str) -> bool {
    file.ends_with(".rs")
}

/// The file and the name of a recipe, where an item is one.
pub(crate) fn of_recipe(item: &str) -> Option<(&str, &str)> {
    let (file, heading) = item.split_once('#')?;
    let name = heading.strip_prefix(OF_RECIPE)?;
    (file.starts_with("repo/") && !file.ends_with(".md")).then_some((file, name))
}

/// The text without the lines `Name: value` of these names. Lines in code fences are content.
fn without(text: &str, names: &[String]) -> String {
    let mut fenced = false;
    let ours = |line: &str| {
        let name = line.split_once(':').map(|(name, _)| name.trim_end());
        name.is_some_and(|name| names.iter().any(|known| known == name))
    };
    let lines = text.split_inclusive('\n').filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        fenced || fence || !ours(line)
    });
    lines.collect()
}

/// Refuses what is no glob of `repo/` or `task/`, or no section of a Markdown file.
pub(crate) fn lint(pattern: &str) -> Result<(), Error> {
    if WORDS.contains(&pattern) {
        return Ok(());
    }
    let (file, heading) = pattern.split_once('#').unwrap_or((pattern, "x"));
    if heading.trim().is_empty() {
        return Err(format!("`{pattern}` names no section behind the `#`").into());
    }
    match file.split_once('/') {
        Some(("repo" | "task", rest)) if !rest.is_empty() && !rest.contains("..") => {}
        _ => {
            let why = format!("`{pattern}` must begin with `repo/` or `task/` and stay there");
            return Err(why.into());
        }
    }
    globs(&[pattern]).map(drop)
}

/// Patterns with their fields filled in, and the one word for many spelt out. A field that is no
/// plain list is refused: what is lost from it would not be frozen.
pub(crate) fn spelt_out(subject: &Subject<'_>, patterns: &[String]) -> Result<Named, Error> {
    let mut all = Named::default();
    for pattern in patterns {
        match pattern.as_str() {
            RUNNER_CONFIG => all.inside.extend(runner_files()),
            TEST_CONFIG => all
                .inside
                .extend(deciding(|decides| decides == Decides::Tests)),
            TEST_FILES => all.inside.extend(test_files()),
            CI_FILES => all.inside.extend(ci_files()),
            ACTING_FILES => {
                all.inside.extend(ACTING.map(|glob| format!("repo/{glob}")));
                all.outside.extend(IDLE.map(|glob| format!("repo/{glob}")));
            }
            INLINE_TESTS | SOURCES | TEST_RECIPES | STARTED_RECIPES => {}
            pattern => match filled_in(pattern, subject.fields) {
                None => all.inside.push(pattern.to_owned()),
                Some(named) => {
                    listed(subject, pattern)?;
                    all.inside.extend(named.inside);
                    all.outside.extend(named.outside);
                }
            },
        }
    }
    Ok(all)
}

/// Is it a `conftest.py` that is as it was but for fixtures which tests ask for by name?
pub(crate) fn got_fixtures(
    subject: &Subject<'_>,
    item: &str,
    before: impl FnOnce() -> Option<String>,
) -> bool {
    let now = || paths::read(subject.place, item).ok();
    item.ends_with("/conftest.py")
        && now().is_some_and(|now| fixtures_added(&before().unwrap_or_default(), &now))
}

fn listed(subject: &Subject<'_>, pattern: &str) -> Result<(), Error> {
    let field = field_in(pattern).map_or("", |(_, field, _)| field);
    let text = subject.fields.get(field).map_or("", String::as_str);
    match not_a_list(text) {
        Some(why) => Err(format!("`{field}` is no list: {why}").into()),
        None => Ok(()),
    }
}

/// Files by glob; `*` stays within a folder and `**` does not.
pub(crate) fn globs<S: AsRef<str>>(patterns: &[S]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    let patterns = patterns.iter().map(AsRef::as_ref);
    for pattern in patterns.filter(|pattern| !pattern.contains('#') && !WORDS.contains(pattern)) {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob?);
    }
    Ok(set.build()?)
}

/// Every item that the patterns name now: files that match, sections as they are.
pub(crate) fn named(subject: &Subject<'_>, patterns: &[String]) -> Result<Vec<String>, Error> {
    // What a field takes out again stays in: a freeze does not shrink by what an agent wrote.
    let inner = within(subject, patterns)?;
    let patterns = spelt_out(subject, patterns)?.inside;
    let has = |word: &str| patterns.iter().any(|pattern| pattern == word);
    let globs = globs(&patterns)?;
    let mut names: Vec<String> = Vec::new();
    if patterns.iter().any(|pattern| pattern.starts_with("repo/")) {
        let tree = subject.tree()?;
        names.extend(tree.files.keys().map(|path| format!("repo/{path}")));
    }
    if patterns.iter().any(|pattern| pattern.starts_with("task/")) {
        walk(subject.place.task, "task", &mut names)?;
    }
    names.retain(|name| globs.is_match(name));
    let sections = patterns.iter().filter(|pattern| pattern.contains('#'));
    names.extend(sections.cloned());
    names.extend(has(COMMANDS).then(|| COMMANDS.to_owned()));
    if has(DEPENDENCIES) {
        names.extend(installed::items(subject.place.installed));
    }
    names.extend(inner);
    names.sort();
    names.dedup();
    Ok(names)
}

/// What the words for many items name that no glob can: parts of files, and files by their kind.
fn within(subject: &Subject<'_>, patterns: &[String]) -> Result<Vec<String>, Error> {
    let [config, of_tests, tests, sources] = [TEST_CONFIG, TEST_RECIPES, INLINE_TESTS, SOURCES]
        .map(|word| patterns.iter().any(|one| one == word));
    let mut names = Vec::new();
    if patterns.iter().any(|one| one == STARTED_RECIPES) {
        let read = |path: &str| paths::read(subject.place, &format!("repo/{path}")).ok();
        let found = recipes::started(subject.commands, &read)
            .recipes
            .into_iter();
        names.extend(found.map(|(file, name)| format!("repo/{file}#{OF_RECIPE}{name}")));
    }
    if !(config || of_tests || tests || sources) {
        return Ok(names);
    }
    for path in sources::files(subject)? {
        let item = format!("repo/{path}");
        let text = || paths::read(subject.place, &item).unwrap_or_default();
        let asked = match recipes::is_one(&path) {
            true => of_tests,
            false => config,
        };
        if asked
            && settings::is_manifest(&path)
            && settings::of_tests(&path, &text()).is_ok_and(|said| !said.is_empty())
        {
            names.push(format!("{item}#{OF_MANIFEST}"));
        }
        if tests && is_rust(&path) && !sources::is_test(&path) {
            let found = inline_tests::test_functions(&text()).into_iter();
            names.extend(found.map(|name| format!("{item}#{OF_SOURCE}{name}")));
        }
        if sources && sources::is_source(&path) {
            names.push(item);
        }
    }
    Ok(names)
}

/// Every file below a folder, as `name/...`.
pub(crate) fn walk(folder: &Path, name: &str, names: &mut Vec<String>) -> Result<(), Error> {
    let cannot = Error::of::<std::io::Error>(name);
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let kind = entry.file_type().map_err(cannot)?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            walk(&entry.path(), &name, names)?;
        } else {
            names.push(name);
        }
        if names.len() > MOST_FILES {
            return Err(format!("more than {MOST_FILES} files").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_lines_are_no_content() {
        let names = ["Status".to_owned()];
        let text = "Status: DRAFT\nshape\n```\nStatus: in a fence\n```\n- Status: a list\n";
        assert_eq!(
            without(text, &names),
            "shape\n```\nStatus: in a fence\n```\n- Status: a list\n"
        );
    }

    #[test]
    fn only_places_that_stay_inside() {
        for bad in ["src/a", "repo/", "task/../x", "/etc", "task/a#", "repo/[a"] {
            assert!(lint(bad).is_err(), "{bad}");
        }
        for good in ["repo/**/*.rs", "task/T.md#3 Contract", "task/*.md"] {
            assert!(lint(good).is_ok(), "{good}");
        }
    }
}
