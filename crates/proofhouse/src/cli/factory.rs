//! `proofhouse factory`: texts in, judgements and texts out. The only thing that it writes is a
//! planned project, and that whole or not at all. What works on one is in `of_factory`.

use super::args::{Args, FactoryCommand};
use super::out::{Out, Tone, plain};
use super::{exit, of_factory, of_product, schema, verbs};
use ::factory::contract::{Surface, compare};
use ::factory::engineering::context::BRIEFS;
use ::factory::plan::Known;
use ::factory::plan::{NoPlan, TaskFile};
use ::factory::spec::ProductSpec;
use ::factory::{Deficiency, Report, Severity};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use workspace::EngineError;

/// Larger files are refused before they are read: no spec is a hundredth of it.
const LARGEST_FILE: u64 = 256 << 20;

pub(crate) fn factory(args: &Args, command: &FactoryCommand, out: &Out) -> Result<u8, EngineError> {
    match command {
        FactoryCommand::Validate { file, schema: name } => {
            let document = schema::find(name)?;
            let report = ::factory::schema::validate(document, &read(file)?);
            print_report(&report, file, out);
            Ok(if report.passes() {
                exit::OK
            } else {
                exit::USER
            })
        }
        FactoryCommand::Plan {
            spec,
            dry_run,
            out: folder,
        } => {
            let spec = read_spec(spec)?;
            let (plan, files) =
                ::factory::plan::task_files(&spec, BRIEFS, &Known::default()).map_err(no_plan)?;
            if *dry_run {
                print_plan(&plan, out);
                return Ok(exit::OK);
            }
            let here = PathBuf::from(".");
            let made = write_all(folder.as_deref().unwrap_or(&here), &files)?;
            if out.json {
                print_plan(&plan, out);
            } else {
                let count = files.len();
                out.line(&format!("{count} task files in {}", made.display()));
            }
            Ok(exit::OK)
        }
        FactoryCommand::Render { spec } => {
            let bytes = read(spec)?;
            let (spec, report) =
                ::factory::spec::read(&bytes).map_err(|report| invalid(spec, &report))?;
            out.line(::factory::spec::spec_md(&spec, &report, &[]).trim_end());
            Ok(exit::OK)
        }
        FactoryCommand::Start(asked) => {
            let spec = read_spec(&asked.spec)?;
            let (plan, files) =
                ::factory::plan::task_files(&spec, BRIEFS, &Known::default()).map_err(no_plan)?;
            of_factory::start(&super::project(args)?, asked, &spec, &plan, &files, out)
        }
        FactoryCommand::New(asked) => of_product::new(&super::project(args)?, asked, out),
        FactoryCommand::Review { name } => {
            of_product::review(&super::project(args)?, name.as_deref(), out)
        }
        FactoryCommand::Approve {
            name,
            because,
            channel,
        } => {
            let said = engine::factory::Said::Approve { because };
            of_product::speak(&super::project(args)?, name.as_deref(), said, channel, out)
        }
        FactoryCommand::Reject {
            name,
            reasons,
            file,
            channel,
        } => {
            let reasons = of_product::text(reasons.as_deref(), file.as_deref())?;
            let said = engine::factory::Said::Reject { reasons: &reasons };
            of_product::speak(&super::project(args)?, name.as_deref(), said, channel, out)
        }
        FactoryCommand::Amend {
            name,
            feedback,
            file,
            channel,
        } => {
            let feedback = of_product::text(feedback.as_deref(), file.as_deref())?;
            let said = engine::factory::Said::Amend {
                feedback: &feedback,
            };
            of_product::speak(&super::project(args)?, name.as_deref(), said, channel, out)
        }
        FactoryCommand::Run { name, agent } => of_factory::run(
            &super::project(args)?,
            name.as_deref(),
            agent.as_deref(),
            out,
        ),
        FactoryCommand::Status { name } => {
            of_factory::status(&super::project(args)?, name.as_deref(), out)
        }
        FactoryCommand::Release {
            name,
            module,
            without_product,
            word,
        } => {
            let with = match (module.as_slice(), *without_product) {
                ([], true) => json!({"waive_product": word.because}),
                ([], false) => Value::Null,
                (modules, _) => json!({"modules": modules}),
            };
            verbs::release(&super::project(args)?, name.as_deref(), &with, word, out)
        }
        FactoryCommand::Export { dir, name } => {
            of_factory::export(&super::project(args)?, name.as_deref(), dir, out)
        }
        FactoryCommand::Cost { name } => {
            of_factory::cost(&super::project(args)?, name.as_deref(), out)
        }
        FactoryCommand::Deprecate(asked) => verbs::deprecate(&super::project(args)?, asked, out),
        FactoryCommand::Retry { name, word } => {
            verbs::retry(&super::project(args)?, name.as_deref(), word, out)
        }
        FactoryCommand::Extend { name, word } => {
            verbs::extend(&super::project(args)?, name.as_deref(), word, out)
        }
        FactoryCommand::Stop { name, word } => {
            verbs::stop(&super::project(args)?, name.as_deref(), word, out)
        }
        FactoryCommand::Fingerprint { contract, against } => {
            fingerprint(contract, against.as_deref(), out)
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, EngineError> {
    let size = std::fs::metadata(path)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => EngineError::user(
                "no_such_file",
                format!("there is no file {}", path.display()),
                "check the path",
            ),
            _ => EngineError::io("read", path)(error),
        })?
        .len();
    if size > LARGEST_FILE {
        return Err(EngineError::user(
            "too_large",
            format!(
                "{} has {size} bytes; {LARGEST_FILE} is the most",
                path.display()
            ),
            "split it",
        ));
    }
    std::fs::read(path).map_err(EngineError::io("read", path))
}

fn read_spec(path: &Path) -> Result<ProductSpec, EngineError> {
    let read = ::factory::spec::read_new(&read(path)?, BRIEFS);
    read.map(|(spec, _)| spec)
        .map_err(|report| invalid(path, &report))
}

/// How many deficiencies an error lists; `validate` lists them all.
const MOST_LISTED: usize = 20;

fn invalid(path: &Path, report: &Report) -> EngineError {
    let count = report.errors.len();
    let mut what = format!("{} is no complete spec, {count} error(s):", path.display());
    for deficiency in report.errors.iter().take(MOST_LISTED) {
        what.push_str(&format!("\n  {}", line(deficiency)));
    }
    if count > MOST_LISTED {
        what.push_str(&format!("\n  and {} more", count - MOST_LISTED));
    }
    let mend = format!(
        "mend these; `proofhouse factory validate {}` lists everything; nothing was written",
        path.display()
    );
    EngineError::user("spec_invalid", what, mend)
}

fn no_plan(NoPlan(problems): NoPlan) -> EngineError {
    let count = problems.len();
    let (code, mend) = problems.first().map_or_else(
        || (String::new(), String::new()),
        |first| (first.code.clone(), first.mend.clone()),
    );
    let mut lines: Vec<String> = problems
        .iter()
        .take(MOST_LISTED)
        .map(|problem| format!("{} [{}]", plain(&problem.what), problem.code))
        .collect();
    if count > MOST_LISTED {
        lines.push(format!("and {} more", count - MOST_LISTED));
    }
    let what = match lines.as_slice() {
        [_] => plain(&problems[0].what),
        _ => format!("no plan, {count} problems:\n  {}", lines.join("\n  ")),
    };
    EngineError::user(&code, what, format!("{mend}; nothing was written"))
}

/// `3:14 error rule 6 $.a.b: message [code]`
fn line(found: &Deficiency) -> String {
    let place = match (found.line, found.column) {
        (Some(line), Some(column)) => format!("{line}:{column} "),
        (Some(line), None) => format!("{line} "),
        (None, _) => String::new(),
    };
    let rule = found
        .rule
        .map_or_else(String::new, |rule| format!("rule {rule} "));
    format!(
        "{place}{rule}{}: {} [{}]",
        plain(&found.whole_path()),
        plain(&found.message),
        found.code
    )
}

fn print_report(report: &Report, file: &Path, out: &Out) {
    if out.json {
        out.facts(&serde_json::json!({
            "valid": report.passes(),
            "errors": report.errors,
            "warnings": report.warnings,
        }));
        return;
    }
    for found in report.all() {
        let (tone, word) = match found.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Warn, "warning"),
        };
        out.line(&format!("{} {}", out.paint(tone, word), line(found)));
    }
    let (tone, word) = if report.passes() {
        (Tone::Good, "valid")
    } else {
        (Tone::Bad, "invalid")
    };
    out.line(&format!(
        "{} {}: {} error(s), {} warning(s)",
        out.paint(tone, word),
        file.display(),
        report.errors.len(),
        report.warnings.len()
    ));
}

fn print_plan(plan: &::factory::plan::Plan, out: &Out) {
    if out.json {
        out.facts(plan);
        return;
    }
    let rows: Vec<Vec<String>> = plan
        .tasks
        .iter()
        .map(|task| {
            vec![
                task.declaration_order.to_string(),
                task.task_id.clone(),
                task.source_id.clone(),
                task.depends_on.join(", "),
            ]
        })
        .collect();
    out.table(&["order", "task", "from", "depends on"], &rows);
}

/// Everything goes into a folder beside the final one, which then gets its name in one step.
fn write_all(folder: &Path, files: &[TaskFile]) -> Result<PathBuf, EngineError> {
    let project = folder.join("project");
    if project.symlink_metadata().is_ok() {
        return Err(EngineError::user(
            "project_exists",
            format!("{} is there already", project.display()),
            "choose another `--out`, or move it away; nothing was written",
        ));
    }
    std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    let beside = folder.join(format!(".project.tmp-{}", std::process::id()));
    // A leftover of a killed process with our number; it is nobody's.
    let _ = std::fs::remove_dir_all(&beside);
    let written = write_into(&beside, files).and_then(|()| {
        std::fs::rename(beside.join("project"), &project)
            .map_err(EngineError::io("create", &project))
    });
    // Empty after the step, partly filled after a failure: ours alone in both cases.
    let _ = std::fs::remove_dir_all(&beside);
    written.map(|()| project)
}

fn write_into(beside: &Path, files: &[TaskFile]) -> Result<(), EngineError> {
    for file in files {
        let path = beside.join(&file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(EngineError::io("create", parent))?;
        }
        std::fs::write(&path, &file.text).map_err(EngineError::io("write", &path))?;
    }
    Ok(())
}

fn read_surface(path: &Path) -> Result<Surface, EngineError> {
    ::factory::schema::parse_surface(&read(path)?).map_err(|report| {
        let found = report.errors.first().map(line).unwrap_or_default();
        EngineError::user(
            "contract_malformed",
            format!("{}: {found}", path.display()),
            "correct it; `proofhouse schema MicroModuleContract` has the form",
        )
    })
}

fn fingerprint(path: &Path, against: Option<&Path>, out: &Out) -> Result<u8, EngineError> {
    let contract = read_surface(path)?;
    let Some(locked) = against else {
        let fingerprint = factory::contract::Fingerprint::of(contract.surface());
        if out.json {
            out.facts(&serde_json::json!({"fingerprint": fingerprint}));
        } else {
            out.line(fingerprint.as_str());
        }
        return Ok(exit::OK);
    };
    let locked = read_surface(locked)?;
    let bump = ::factory::contract::required_bump(locked.surface(), contract.surface());
    match compare(locked.surface(), contract.surface()) {
        Ok(fingerprint) => {
            if out.json {
                out.facts(&serde_json::json!({
                    "matches": true, "expected": fingerprint, "actual": fingerprint,
                    "bump": bump, "dimensions": [],
                }));
            } else {
                out.line(&format!("{} {fingerprint}", out.paint(Tone::Good, "same")));
            }
            Ok(exit::OK)
        }
        Err(mismatch) => {
            if out.json {
                out.facts(&serde_json::json!({
                    "matches": false, "expected": mismatch.expected, "actual": mismatch.actual,
                    "bump": bump, "dimensions": mismatch.dimensions,
                }));
                return Ok(exit::USER);
            }
            out.line(&mismatch.to_string());
            for dimension in &mismatch.dimensions {
                out.line(&out.paint(Tone::Strong, &dimension.dimension));
                for item in &dimension.removed {
                    out.line(&format!("  {} {item}", out.paint(Tone::Bad, "-")));
                }
                for item in &dimension.added {
                    out.line(&format!("  {} {item}", out.paint(Tone::Good, "+")));
                }
                if dimension.reordered {
                    out.line("  the same items in another order or number");
                }
            }
            let bump = format!("{bump:?}").to_lowercase();
            out.line(&format!("a {bump} version is needed"));
            Ok(exit::USER)
        }
    }
}
