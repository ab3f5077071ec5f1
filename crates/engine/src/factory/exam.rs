//! The exam of a module: it is laid out without its tests, with what its code calls the modes of its
//! contract, and asked by the drivers that the check `exam` asks products with. What is asked and what must
//! hold of the answers is compared outside, and lies under seal.

use super::found::{Broke, Given};
use super::modules::Stored;
use super::scratch::{self, Laid};
use super::ship::Step;
use super::{debated, suite, surface};
use crate::perform::InVault;
use ::factory::engineering::exam::{OPEN, WRITTEN};
use ::factory::engineering::ship::ShipStep;
use checks::exam_of_module::{self as exam, About, Asks, Entry, OfModule};
use checks::{Check, Place, Subject};
use kernel::exam::Driver;
use kernel::outcome::{CheckResult, Verdict};
use languages::Language;
use languages::asked::Said;
use languages::rust::stubbed;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use workspace::room::Rooms;

/// One of the three, on its project.
pub(super) struct OfExam<'a> {
    name: &'static str,
    given: &'a Given<'a>,
    progress: &'a dyn Fn(&str),
}

/// All that a module's exam needs.
pub(super) fn all<'a>(given: &'a Given<'a>, progress: &'a dyn Fn(&str)) -> [OfExam<'a>; 3] {
    [WRITTEN, OPEN, ShipStep::Exam.row().check].map(|name| OfExam {
        name,
        given,
        progress,
    })
}

#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    exam: OfModule,
    /// The shipped one that a plan would reuse.
    #[serde(default)]
    reused: Option<::factory::project::ModuleRef>,
}

impl Check for OfExam<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, with: &Value, subject: &Subject<'_>) -> Vec<CheckResult> {
        (self.progress)(self.name);
        let mut result = self.judge(with, subject).unwrap_or_else(|broke| {
            let mut result = CheckResult::new(self.name, broke.verdict, broke.reason);
            result.evidence = broke.evidence;
            result.code = broke.code;
            result
        });
        let clean = |text: &str| self.given.context.kept_text(text);
        (result.reason, result.details) = (clean(&result.reason), clean(&result.details));
        vec![result]
    }
}

impl OfExam<'_> {
    fn judge(&self, with: &Value, subject: &Subject<'_>) -> Result<CheckResult, Broke> {
        let Settings {
            exam: known,
            reused,
        } = Settings::deserialize(with).map_err(super::found::could_not)?;
        let step = Step::of(self.given, with)?;
        let module = match &reused {
            Some(reused) => Stored::at(&self.given.context.project.home(), reused),
            None => step.module,
        };
        let reference = module.reference.to_string();
        let about = About {
            check: self.name,
            module: &reference,
        };
        if self.name == WRITTEN {
            return Ok(exam::written(subject, &known, about));
        }
        if known.paper.is_none() {
            let why = known.unasked.as_deref().unwrap_or("nobody wrote an exam");
            return Ok(exam::unexamined(about, why));
        }
        // What is asked is what was debated, or what was tested since: never what somebody put there.
        let last = self.name == ShipStep::Exam.row().check;
        let judged = match last || reused.is_some() {
            true => {
                module.as_tested()?;
                module.tested()?
            }
            false => debated::check(self.given.context, &module, &step.deliverable)?,
        };
        let asks = match last || reused.is_some() {
            true => Asks::All,
            false => Asks::Open,
        };
        let honest = self.lay_out(&module, "exam")?;
        honest.is_of(&judged)?;
        let entry = self.entry(&module, &honest)?;
        without_tests(&honest)?;
        // A module that was shipped has shown its tests; what the cases see, the stub says.
        let stub = match asks {
            Asks::All => self.stub(&module)?,
            Asks::Open => None,
        };
        let result = self.over(&honest.top, |honest| match &stub {
            Some(stub) => self.over(&stub.top, |stub| {
                exam::sat(honest, &known, about, asks, &entry, Some(stub))
            }),
            None => Ok(exam::sat(honest, &known, about, asks, &entry, None)),
        })??;
        if last && result.verdict == Verdict::Fail {
            module.unmark();
        }
        Ok(result)
    }

    fn lay_out(&self, module: &Stored, name: &str) -> Result<Laid, Broke> {
        let context = self.given.context;
        let home = context.home(self.given.order.id);
        std::fs::create_dir_all(&home).map_err(super::found::could_not)?;
        let to = home.join(name);
        Ok(scratch::lay_out(&context.project.home(), module, &to)?)
    }

    /// How it is asked: its functions, by the modes that they stand for.
    fn entry(&self, module: &Stored, laid: &Laid) -> Result<Entry, Broke> {
        let Given {
            context,
            order,
            cancel,
        } = self.given;
        let code = surface::extract(context, order, module, laid, cancel)?;
        let contract = module.contract()?;
        let (driver, before) = match laid.language {
            Language::Python => (Driver::Python, format!("{}:", laid.name)),
            Language::Rust => (Driver::Rust, format!("{}::", laid.name)),
            Language::JavaScript => {
                let root = laid.language.root();
                (Driver::JavaScript, format!("implementation/{root}:"))
            }
        };
        let modes = languages::entry_modes(contract.surface(), &code.surface).into_iter();
        // Nothing here waits for what a function of Rust promises.
        let modes = modes.filter(|(mode, _)| driver != Driver::Rust || *mode == "sync");
        let modes = modes.map(|(mode, name)| (mode, format!("{before}{name}")));
        Ok(Entry {
            driver,
            modes: modes.collect(),
        })
    }

    /// The same without an implementation; none where no stub can be made of it.
    fn stub(&self, module: &Stored) -> Result<Option<Laid>, Broke> {
        let laid = self.lay_out(module, "exam-stub")?;
        match laid.language {
            Language::Rust => {
                let Ok(files) = stubbed(&module.texts("implementation")?) else {
                    return Ok(None);
                };
                for (name, text) in files {
                    let path = laid.top.join("implementation").join(name);
                    scratch::write(&path, text.as_bytes())?;
                }
            }
            Language::Python | Language::JavaScript => {
                let Given {
                    context,
                    order,
                    cancel,
                } = self.given;
                match surface::script(context, order, &laid, "stub", cancel)? {
                    Said::Stubbed { .. } => {}
                    _ => return Ok(None),
                }
            }
        }
        without_tests(&laid)?;
        Ok(Some(laid))
    }

    /// A folder as checks judge it.
    fn over<T>(&self, top: &Path, act: impl FnOnce(&Subject<'_>) -> T) -> Result<T, Broke> {
        let (context, order) = (self.given.context, self.given.order);
        let (keep, tree) = (InVault(context), || suite::tree(top));
        let (home, policy) = (context.home(order.id), context.reach.scratch(top));
        let pid_file = home.join("pid");
        let now = tree().map_err(super::found::could_not)?;
        let name = top.file_name().unwrap_or_default().to_string_lossy();
        let scratch = home.join(format!("rooms-{name}"));
        let rooms = Rooms::over_folder(top, &context.rooms, &scratch, now);
        let place = Place {
            repo: top,
            installed: top,
            task: top,
            views: checks::Views::default(),
        };
        let wall = Duration::from_millis(order.wall_millis);
        Ok(act(&Subject {
            env: &context.env,
            pid_file: Some(&pid_file),
            policy: Some(&policy),
            rooms: Some(&rooms),
            ..Subject::new(place, wall, self.given.cancel, &keep, &tree)
        }))
    }
}

/// Takes out what tests it, and lays what it uses where the driver of Python looks.
fn without_tests(laid: &Laid) -> Result<(), Broke> {
    let could_not = super::found::could_not;
    store::remove_tree(&laid.top.join("tests")).map_err(could_not)?;
    if laid.language != Language::Python {
        return Ok(());
    }
    std::fs::remove_file(laid.top.join("run_tests.py")).map_err(could_not)?;
    for place in laid.path.iter().filter(|place| place.as_str() != ".") {
        let folders = std::fs::read_dir(laid.top.join(place)).map_err(could_not)?;
        for folder in folders {
            let folder = folder.map_err(could_not)?;
            let to = laid.top.join(folder.file_name());
            std::fs::rename(folder.path(), to).map_err(could_not)?;
        }
    }
    Ok(())
}
