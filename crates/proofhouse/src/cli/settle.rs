//! `proofhouse land --settle`: what contradicts a branch is brought together with it by an agent.

use super::args::{Land, Run};
use super::out::{Out, Tone, plain};
use super::run;
use engine::land::settle;
use workspace::{EngineError, Project};

/// Has what contradicts settled by an agent, in a run of its own.
pub(crate) fn settled(project: &Project, args: &Land, out: &Out) -> Result<u8, EngineError> {
    super::land::sound(project, &args.run, out)?;
    let settling = settle(project, &args.run, &args.onto, args.agent.clone())?;
    if !out.json {
        out.line(&format!(
            "{} run `{}`: it brings `{}` and `{}` together, which contradict each other in {}",
            out.paint(Tone::Good, "started"),
            settling.by,
            args.run,
            settling.branch,
            plain(&settling.files.join(", ")),
        ));
    }
    let driven = Run {
        run: Some(settling.by),
        detach: false,
        once: false,
        agent: None,
        restore_views: false,
    };
    run::run(project, &driven, out)
}
