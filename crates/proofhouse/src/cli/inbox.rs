//! `proofhouse inbox`: everything that waits for a person, in one place.

use super::out::Out;
use super::{exit, questions, status};
use engine::start::runs;
use kernel::Machine;
use workspace::{EngineError, Kind, Project};

pub(crate) fn inbox(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let mut facts = Vec::new();
    let mut shown = 0;
    for (name, peek) in runs(project)? {
        match peek {
            Ok(peek) => {
                if let Some(waiting) = peek.machine.status().waiting_for {
                    shown += 1;
                    let code = engine::approval::run_code(&name, &peek.head.hash);
                    facts.push(serde_json::json!({"run": name, "state": peek.machine.status().state, "waiting_for": waiting, "seq": peek.head.seq, "run_code": code}));
                    if !out.json {
                        status::waiting(out, project, &name, &waiting, &peek.head.hash);
                    }
                }
            }
            // A project of the factory may wait for several answers at once.
            Err(error) if error.kind == Kind::FactoryProject => {
                let peek = engine::factory::peek(project, &name)?;
                let open = peek.machine.questions();
                shown += open.len();
                let code = engine::approval::run_code(&name, &peek.head.hash);
                for question in questions::facts(&name, &open) {
                    facts.push(serde_json::json!({"run": name, "question": question, "seq": peek.head.seq, "run_code": code}));
                }
                if !out.json {
                    questions::print(out, project, &name, &peek);
                }
            }
            Err(error) => {
                shown += 1;
                facts.push(serde_json::json!({"run": name, "error": {"code": error.code, "what": error.what, "mend": error.mend}}));
                if !out.json {
                    out.error(&error);
                }
            }
        }
    }
    if out.json {
        out.facts(&facts);
    } else if shown == 0 {
        out.line("nothing waits for you");
    }
    Ok(exit::OK)
}
