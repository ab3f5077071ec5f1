//! What a person's line says: which package it tests, and whether what it starts is still what it was when
//! the run began.

use crate::Subject;
use crate::readers::{found, paths, sources};
use crate::room::Room;
use languages::judges::{Standing, Texts};
use languages::manifests::settings;
use languages::recipes;
use languages::runners::{Runner, detect, in_folder};

const PACKAGE: &str = "package.json";

/// A line: what it says, and the folder below the top where it says it.
pub(crate) struct Line<'a> {
    pub(crate) folder: Option<&'a str>,
    pub(crate) said: &'a str,
}

impl<'a> Line<'a> {
    pub(crate) fn of(line: &'a str) -> Self {
        match in_folder(line) {
            Some((folder, said)) => Self {
                folder: Some(folder),
                said,
            },
            None => Self {
                folder: None,
                said: line,
            },
        }
    }

    /// Does it run the test script of a package?
    pub(crate) fn calls_package(&self) -> bool {
        let words: Vec<&str> = self.said.split_whitespace().collect();
        matches!(
            words.as_slice(),
            ["npm" | "pnpm" | "yarn", "test"] | ["npm" | "pnpm", "run", "test"]
        )
    }

    /// The runner of the package, where the line runs its test script. Of the package alone: other
    /// manifests have commands of their own.
    pub(crate) fn runner_of_package(&self, subject: &Subject<'_>) -> Option<Runner> {
        let of_package = |path: &str| match path {
            PACKAGE => self.package(subject),
            _ => None,
        };
        detect(&of_package).ok().filter(|_| self.calls_package())
    }

    fn package_path(&self) -> String {
        match self.folder {
            Some(folder) => format!("{folder}/{PACKAGE}"),
            None => PACKAGE.to_owned(),
        }
    }

    /// The package's manifest.
    pub(crate) fn package(&self, subject: &Subject<'_>) -> Option<String> {
        read(subject, &self.package_path())
    }

    /// The manifest as the run found it; none where nobody knows.
    pub(crate) fn package_before(&self, subject: &Subject<'_>) -> Option<String> {
        Some(
            before(subject)?
                .text(&self.package_path())
                .unwrap_or_default(),
        )
    }
}

/// What the test script of a package said when the run began, where the line runs it and it says something
/// else now: nobody has been asked about that.
pub(crate) fn script_before(line: &str, subject: &Subject<'_>) -> Option<String> {
    let line = Line::of(line);
    let before = line
        .package_before(subject)
        .filter(|_| line.calls_package())?;
    let said = |text: &str| settings::of_tests(PACKAGE, text).unwrap_or_default();
    let old = said(&before);
    let now = said(&line.package(subject).unwrap_or_default());
    (!old.is_empty() && old != now).then_some(old)
}

/// What a line started when the run began and is not the same now: recipes, and programs that are not the
/// product. The script of a package that the line itself runs is told by [`script_before`].
pub(crate) fn started_before(line: &str, asked: &str, subject: &Subject<'_>) -> Vec<String> {
    let Some(room) = before(subject) else {
        return Vec::new();
    };
    let started = recipes::started(&[line], &|path| room.text(path));
    let of = Line::of(line);
    let package = of.package_path();
    let own = |file: &str, name: &str| {
        let of_tests = ["pretest", "test", "posttest"].contains(&name);
        of.calls_package() && file == package && of_tests
    };
    let mut changed = Vec::new();
    for (file, name) in started
        .recipes
        .iter()
        .filter(|(file, name)| !own(file, name))
    {
        let said = |text: Option<String>| recipes::text_of(file, &text.unwrap_or_default(), name);
        if said(room.text(file)) != said(read(subject, file)) {
            changed.push(format!("{file} ({name})"));
        }
    }
    let mut bent: Vec<&String> = started.programs.keys().collect();
    bent.retain(|path| room.text(path) != read(subject, path));
    let names = room.names().unwrap_or_default();
    let now = subject.tree().map(|tree| tree.files).unwrap_or_default();
    let new: Vec<String> = now
        .into_keys()
        .filter(|path| !names.contains(path))
        .collect();
    if bent.is_empty() && new.is_empty() {
        return changed;
    }
    let texts = names.iter().map(|path| (path, room.text(path)));
    let texts: Vec<(&String, String)> = texts
        .filter_map(|(path, text)| Some((path, text?)))
        .collect();
    let texts = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let (tests, others) = texts.partition(|(path, _)| sources::is_test(path));
    let texts = Texts { tests, others };
    bent.retain(|path| texts.standing(path, &started, asked) != Some(Standing::Product));
    changed.extend(bent.into_iter().cloned());
    let shadows = texts.shadows((&[line], &started), &new, asked).into_iter();
    changed.extend(shadows.map(|(shadow, _)| shadow.path));
    changed
}

/// The tree as the run found it.
fn before(subject: &Subject<'_>) -> Option<Room> {
    found::as_found(subject).ok().flatten()
}

pub(super) fn read(subject: &Subject<'_>, path: &str) -> Option<String> {
    paths::read(subject.place, &format!("repo/{path}")).ok()
}
