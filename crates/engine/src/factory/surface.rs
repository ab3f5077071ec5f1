//! The surface step of a ship: what the code makes public is what the contract declares, and the
//! tests keep to it. Files are read and our scripts are run here; what follows from them is decided in
//! `languages`.

use super::found::{Broke, Given, Held, could_not, not_started};
use super::modules::{SHIP, Stored};
use super::scratch::{self, Laid};
use super::suite;
use ::factory::contract::SurfaceRef;
use ::factory::engineering::context::SURFACE;
use ::factory::engineering::kind::Kind;
use checks::RoomError;
use kernel::effect::GateOrder;
use languages::asked::{self, Said};
use languages::{Extracted, Language, Rules, rust};
use sandbox::{Cancel, Launch, Limits};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;
use workspace::context::Context;

/// More differences than this help nobody.
const MOST: usize = 20;
const OUTPUT: usize = 16 << 20;
const WALL: Duration = Duration::from_secs(120);

/// What the code may use of the modules that are laid out with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Dependencies {
    /// All of them, in a project of before.
    #[default]
    Whatever,
    /// Those that its contract depends on.
    Declared,
}

/// Compares the two, and looks through the tests.
pub(super) fn check(
    given: &Given<'_>,
    module: &Stored,
    kind: Kind,
    wanted: Option<Language>,
    dependencies: Dependencies,
) -> Result<Held, Broke> {
    let (context, order, cancel) = (given.context, given.order, given.cancel);
    let contract = module.contract()?;
    let laid = lay_out(context, order, module)?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != laid.language) {
        return Err(format!(
            "the product is in {}, and this module in {}: its root is `implementation/{}`",
            wanted.as_str(),
            laid.language.as_str(),
            wanted.root()
        )
        .into());
    }
    let code = extract(context, order, module, &laid, cancel)?;
    let used: Vec<String> = match dependencies {
        Dependencies::Whatever => laid.uses.keys().cloned().collect(),
        Dependencies::Declared => laid.direct.iter().cloned().collect(),
    };
    let rules = match kind {
        Kind::Modules => Rules::Micro,
        Kind::Assembly => Rules::Assembly(&used),
    };
    let found = languages::judge_by(contract.surface(), laid.language, &code.surface, rules);
    let mut wrong: Vec<String> = found.iter().map(ToString::to_string).collect();
    let of_code = match dependencies {
        Dependencies::Whatever => Vec::new(),
        Dependencies::Declared => reached(&code.surface, &laid, kind),
    };
    let at_surface = !found.is_empty() || !of_code.is_empty();
    wrong.extend(of_code);
    wrong.extend(reaches(context, order, module, &laid, cancel)?);
    if wrong.is_empty() {
        let entries = languages::entry_points(contract.surface(), &code.surface);
        let handed_on = match kind {
            Kind::Modules => "nothing else is public",
            Kind::Assembly => "what else is public is handed on from modules that it uses",
        };
        return Ok(Held::from(format!(
            "{}: `{}` has the contract's inputs, outputs, errors and modes, by name and by kind of type; {handed_on}",
            laid.language.as_str(),
            entries.join("`, `")
        )));
    }
    let more = wrong.len().saturating_sub(MOST);
    wrong.truncate(MOST);
    if more > 0 {
        wrong.push(format!("and {more} more"));
    }
    let count = match at_surface {
        true => "what the code makes public or uses is not the contract's",
        false => "the tests reach past the public surface",
    };
    Err(format!("{count}: {}", wrong.join("; ")).into())
}

/// Where the code reaches past what its contract depends on, and what an assembly hands on by accident.
fn reached(code: &Extracted, laid: &Laid, kind: Kind) -> Vec<String> {
    let all: Vec<String> = laid.direct.iter().map(|one| format!("`{one}`")).collect();
    let all = match all.is_empty() {
        true => "no module".to_owned(),
        false => all.join(", "),
    };
    let undeclared = code.undeclared.iter().map(|place| {
        format!(
            "implementation/{}:{}: it uses `{}`, which its contract does not depend on: that names {all}",
            place.file, place.line, place.what
        )
    });
    let implied = code.implied.iter().filter(|_| kind == Kind::Assembly);
    let implied = implied.map(|place| {
        format!(
            "implementation/{}:{}: {} is public only because it is imported: let `__all__` name what is handed on",
            place.file, place.line, place.what
        )
    });
    undeclared.chain(implied).collect()
}

/// Writes down what is public, for who depends on it and sees no source.
pub(super) fn write_down(given: &Given<'_>, module: &Stored) -> Result<(), Broke> {
    if module.has(SHIP) && module.has(SURFACE) {
        return Ok(());
    }
    let laid = lay_out(given.context, given.order, module)?;
    let code = extract(given.context, given.order, module, &laid, given.cancel)?;
    let reference = module.reference.to_string();
    let text = languages::public(&reference, &laid.name, laid.language, &code.surface);
    Ok(scratch::write(
        &module.folder.join(SURFACE),
        text.as_bytes(),
    )?)
}

/// The module in the folder of this gate.
pub(super) fn lay_out(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
) -> Result<Laid, Broke> {
    let home = context.home(order.id);
    std::fs::create_dir_all(&home).map_err(could_not)?;
    Ok(scratch::lay_out(
        &context.project.home(),
        module,
        &home.join("crate"),
    )?)
}

/// A surface, and in what it was found.
pub(super) struct Found {
    pub(super) surface: Extracted,
    /// What runs the tests.
    pub(super) runner: String,
}

/// What the code makes public.
pub(super) fn extract(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    laid: &Laid,
    cancel: &Cancel,
) -> Result<Found, Broke> {
    match laid.language {
        Language::Rust => {
            let mut uses = BTreeMap::new();
            for (name, used) in &laid.uses {
                // What it passes on from its own modules is not followed further.
                let files = used.texts("implementation")?;
                uses.insert(name.clone(), rust::extract(&files, &BTreeMap::new())?);
            }
            let files = module.texts("implementation")?;
            let mut surface = rust::extract(&files, &uses)?;
            surface.undeclared = rust::named(&files, &laid.beyond());
            Ok(Found {
                surface,
                runner: "cargo".to_owned(),
            })
        }
        Language::Python | Language::JavaScript => {
            match script(context, order, laid, "surface", cancel)? {
                Said::Surface { surface, runner } => Ok(Found { surface, runner }),
                Said::Broken { broken } => Err(format!("implementation/{broken}").into()),
                other => Err(could_not(format!("the script said {other:?}"))),
            }
        }
    }
}

/// Where tests reach past the surface.
fn reaches(
    context: &Context,
    order: &GateOrder,
    module: &Stored,
    laid: &Laid,
    cancel: &Cancel,
) -> Result<Vec<String>, Broke> {
    const RULE: &str = "tests see the public surface alone";
    let mut found = Vec::new();
    match laid.language {
        Language::Rust => {
            for (path, text) in module.texts("tests")? {
                if !path.ends_with(".rs") {
                    continue;
                }
                let reaches = rust::private_reaches(&text);
                let reaches = reaches.map_err(|why| format!("tests/{path}: {why}"))?;
                let lines = reaches.iter();
                found.extend(
                    lines.map(|one| format!("tests/{path}:{} uses {}: {RULE}", one.line, one.by)),
                );
            }
        }
        Language::Python | Language::JavaScript => {
            match script(context, order, laid, "tests", cancel)? {
                Said::Tests { reaches } => {
                    found.extend(reaches.iter().map(|one| {
                        format!("tests/{}:{} uses {}: {RULE}", one.file, one.line, one.by)
                    }))
                }
                Said::Broken { broken } => return Err(broken.into()),
                other => return Err(could_not(format!("the script said {other:?}"))),
            }
        }
    }
    Ok(found)
}

/// Runs our script about the laid out package, confined.
pub(super) fn script(
    context: &Context,
    order: &GateOrder,
    laid: &Laid,
    mode: &str,
    cancel: &Cancel,
) -> Result<Said, Broke> {
    let top = laid.top.display().to_string();
    let language = laid.language.as_str();
    let command = asked::command(laid.language);
    let command = command.ok_or_else(|| could_not(format!("no script reads {language}")))?;
    let mut argv: Vec<String> = command.iter().map(|one| (*one).to_owned()).collect();
    argv.extend([mode.to_owned(), top, laid.name.clone()]);
    argv.extend(laid.direct.iter().cloned());
    argv.extend(laid.beyond().iter().map(|one| format!("!{one}")));
    let limits = Limits {
        wall: WALL.min(Duration::from_millis(order.wall_millis)),
        idle: None,
        output_bytes: OUTPUT,
    };
    let mut launch = Launch::new(argv, &laid.top, context.env.clone(), limits);
    launch.policy = Some(context.reach.scratch(&laid.top));
    launch.pid_file = Some(context.home(order.id).join("pid"));
    // What only looks leaves nothing behind; what makes stubs is there to write them. Neither runs the
    // module's code.
    let ended = match ["surface", "tests"].contains(&mode) {
        true => suite::in_room(context, order, laid, &launch, cancel),
        false => sandbox::run(&launch, cancel).map_err(RoomError::from),
    };
    let ended = ended.map_err(|error| match error {
        RoomError::NotStarted(error) => not_started(
            &error,
            format!("a module in {language} needs `{}`: {error}", command[0]),
        ),
        RoomError::NoRoom(error) => could_not(error),
    })?;
    asked::read(&ended.stdout).map_err(|why| {
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        could_not(format!(
            "the script that reads {language} failed: {why}; {}",
            last.unwrap_or("it said nothing more")
        ))
    })
}

/// The names of functions that examples must show one by one; a single one needs no naming.
pub(super) fn shown<'a>(contract: SurfaceRef<'_>, code: &'a Extracted) -> Vec<&'a str> {
    let entries = languages::entry_points(contract, code);
    if entries.len() > 1 {
        entries
    } else {
        Vec::new()
    }
}
