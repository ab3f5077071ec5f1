//! `proofhouse do`: a sentence in, work that can be landed out.

use super::args::{Do, New, RiskArg, Run};
use super::out::Out;
use super::{new, run};
use engine::start::WantsCommands;
use workspace::{EngineError, Project};

pub(crate) fn do_it(project: &Project, args: &Do, out: &Out) -> Result<u8, EngineError> {
    let mut asked = New {
        workflow: args.workflow.clone(),
        request: Some(args.request.clone()),
        dir: None,
        here: args.here,
        from: args.from.clone(),
        with_edits: args.with_edits,
        yes: true,
        name: args.name.clone(),
        set: Vec::new(),
        check: args.check.clone(),
        agent: args.agent.clone(),
        autonomy: args.autonomy,
        stepped: false,
        risk: RiskArg::Normal,
        waive_sandbox: false,
        sign: None,
        budget: args.budget.clone(),
    };
    new::ask_about_edits(project, &mut asked)?;
    let started = new::begin(project, &asked)?;
    if !out.json {
        new::tell(project, &asked, &started, out)?;
    }
    let unset = started.commands.is_empty() && started.commands_from == "none";
    if started.wants_commands == WantsCommands::Always && unset {
        // Every attempt would be paid for, and no gate could pass.
        return Err(EngineError::user(
            "no_check",
            "nothing was found here that could prove the work: no test suite that we know",
            format!(
                "say what does: `[checks] commands = [\"...\"]` in .proofhouse/config.toml, then `proofhouse run {}`",
                started.run
            ),
        ));
    }
    let driven = Run {
        run: Some(started.run.clone()),
        once: false,
        agent: None,
        restore_views: false,
    };
    run::run(project, &driven, out)
}
