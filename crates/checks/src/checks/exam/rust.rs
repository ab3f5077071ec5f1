//! Asking a Rust product by its functions: a driver is built beside it, in the room, against what is
//! there. What is called and not there is missing; types that no driver can carry are a person's to hear of.

use super::round::{Around, Round, WALL, framed, order};
use crate::Subject;
use crate::error::Error;
use crate::execute::unseen;
use crate::room::Room;
use crate::text::one_line;
use kernel::exam::answers::{Answer, Answers};
use kernel::exam::paper::Asked;
use languages::rust::driver::{DRIVER, Library, driver, is_for_types, library_of};
use std::collections::BTreeSet;

/// Its folder in the room, two below its top.
const FOLDER: &str = ".proofhouse-exam/ask";
/// How the script ends where the driver cannot be built.
const UNBUILT: i32 = 65;

pub(super) fn functions(
    subject: &Subject<'_>,
    room: &Room,
    asked: &[&Asked<'_>],
    (round, around): (Round, Around),
    faults: &mut Vec<String>,
) -> Result<Vec<Answers>, Error> {
    let missing = || {
        let cases = asked.iter().map(|one| one.case.steps.len());
        cases.map(|calls| vec![Answer::Missing; calls]).collect()
    };
    let steps = asked.iter().flat_map(|one| &one.case.steps);
    let calls: BTreeSet<(String, usize)> = steps
        .map(|step| (step.call.clone(), step.with.len()))
        .collect();
    let names: BTreeSet<&str> = calls.iter().map(|(call, _)| library_of(call)).collect();
    let libraries = libraries(room, &names)?;
    if libraries.len() < names.len() {
        return Ok(missing());
    }
    for (path, text) in driver(&libraries, &calls) {
        room.put(&format!("{FOLDER}/{path}"), Some(&text))?;
    }
    if let Some(lock) = room.text("Cargo.lock") {
        room.put(&format!("{FOLDER}/Cargo.lock"), Some(&lock))?;
    }
    let (flag, profile) = match round {
        Round::Together => ("", "debug"),
        Round::Apart => ("--release", "release"),
    };
    let run = format!(
        "{FOLDER}/target/{profile}/{DRIVER} {FOLDER}/order.json {FOLDER}/frame < /dev/null"
    );
    let line = format!(
        "exec 3>&1 1>&2; cat > {FOLDER}/order.json; \
         cargo build --offline --quiet {flag} --manifest-path {FOLDER}/Cargo.toml --target-dir {FOLDER}/target || exit {UNBUILT}; \
         {}; cat {FOLDER}/frame >&3",
        around.line(&run)
    );
    let argv = ["sh", "-c", &line].map(str::to_owned).to_vec();
    let order = order(asked, round);
    // It is built anew, with all that it depends on.
    let ended = room.inside(subject, |inside| unseen(inside, argv, order, 4 * WALL))?;
    if ended.exit != Some(UNBUILT) {
        return Ok(framed(&ended.stdout, asked, faults));
    }
    let told = String::from_utf8_lossy(&ended.stderr);
    let first = told.lines().find(|line| line.starts_with("error"));
    let why = one_line(first.unwrap_or("the build failed"), 300);
    if is_for_types(&told) {
        return Err(Error::Uncarried(why));
    }
    faults.push(format!("what is called cannot be built: {why}"));
    Ok(missing())
}

/// The libraries of these names, where the room has them.
fn libraries(room: &Room, names: &BTreeSet<&str>) -> Result<BTreeSet<Library>, Error> {
    let mut found = BTreeSet::new();
    for path in room.names()? {
        let Some(folder) = path.strip_suffix("Cargo.toml") else {
            continue;
        };
        let manifest = room.text(&path);
        let manifest = manifest.and_then(|text| text.parse::<toml::Table>().ok());
        let said = |table: &str| {
            Some(
                manifest
                    .as_ref()?
                    .get(table)?
                    .get("name")?
                    .as_str()?
                    .to_owned(),
            )
        };
        let Some(package) = said("package") else {
            continue;
        };
        let name = said("lib").unwrap_or_else(|| package.replace('-', "_"));
        if names.contains(name.as_str()) {
            found.insert(Library {
                name,
                package,
                folder: format!("../../{folder}"),
            });
        }
    }
    Ok(found)
}
