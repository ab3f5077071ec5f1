//! The cases of a library: its names are called by the drivers of exams, in a room that holds the product
//! without its tests and its README, and what must hold of the answers is compared out here.

use super::super::found::{Broke, Given, could_not};
use super::super::{scratch, suite};
use super::Assembled;
use crate::perform::InVault;
use checks::{Heard, Place, Subject};
use languages::Language;
use languages::product::called::{driver, for_driver, shown};
use languages::product::{Case, Then};
use std::time::Duration;
use workspace::room::Rooms;

/// What each case was answered, for the README, and how those that do not hold do not.
pub(super) fn cases(
    given: &Given<'_>,
    assembled: &Assembled,
) -> Result<(Vec<String>, Vec<String>), Broke> {
    let (product, language) = (&assembled.product, assembled.language);
    let asked = product.cases.iter().filter_map(|case| match &case.then {
        Then::Answers(asked) => Some((case, for_driver(asked, &product.name, language))),
        Then::Prints(_) | Then::Refuses(_) => None,
    });
    let (cases, asked): (Vec<&Case>, Vec<_>) = asked.unzip();
    if asked.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let context = given.context;
    let home = context.home(given.order.id);
    let top = home.join("asked");
    if top.symlink_metadata().is_ok() {
        store::remove_tree(&top).map_err(could_not)?;
    }
    for (path, text) in languages::files_of(product, language) {
        if !tells(&path, language) {
            scratch::write(&top.join(path), text.as_bytes())?;
        }
    }
    let (policy, pid_file) = (context.reach.scratch(&top), home.join("pid"));
    let (keep, tree) = (InVault(context), || suite::tree(&top));
    let now = tree().map_err(could_not)?;
    let rooms = Rooms::over_folder(&top, &context.rooms, &home, now);
    let place = Place {
        repo: &top,
        installed: &top,
        task: &top,
        views: checks::Views::default(),
    };
    let wall = Duration::from_millis(given.order.wall_millis);
    let subject = Subject {
        env: &context.env,
        pid_file: Some(&pid_file),
        policy: Some(&policy),
        rooms: Some(&rooms),
        ..Subject::new(place, wall, given.cancel, &keep, &tree)
    };
    let heard = match checks::ask_product(&subject, driver(language), None, &asked) {
        // Not the machine's fault: what stands at the top takes other values than cases can give.
        Err(error @ checks::Error::Uncarried(_)) => return Err(error.to_string().into()),
        heard => heard.map_err(could_not)?,
    };
    let (mut seen, mut wrong) = (Vec::new(), Vec::new());
    for ((case, heard), number) in cases.iter().zip(heard).zip(1..) {
        match heard.wrong {
            None => seen.push(told(case, &heard)),
            Some(why) => wrong.push(format!(
                "case {number} does not hold. {}: {why}",
                case.shows.trim_end_matches('.')
            )),
        }
    }
    Ok((seen, wrong))
}

/// Does this file say what is to be answered?
fn tells(path: &str, language: Language) -> bool {
    let of_module = || {
        let mut parts = path.split('/');
        let (first, third) = (parts.next(), parts.nth(1));
        first == Some("modules") && third == Some("tests")
    };
    path == "README.md" || path.starts_with("tests/") || (language == Language::Rust && of_module())
}

/// Each call with what it came to.
fn told(case: &Case, heard: &Heard) -> String {
    let Then::Answers(asked) = &case.then else {
        return String::new();
    };
    let lines = asked.steps.iter().zip(&heard.answers);
    let lines: Vec<String> = lines
        .map(|(step, answer)| format!("{}\n    {answer}", shown(step)))
        .collect();
    lines.join("\n")
}
