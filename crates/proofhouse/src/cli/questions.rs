//! What waits for a person in a project of the factory: what, why, and the exact commands that
//! answer. The machine says what may be answered; only the spelling of commands is here.

use super::decide;
use super::out::{Out, Tone, plain};
use ::factory::halt::Action;
use ::factory::machine::{AMEND, DEPRECATE, EXTEND, Question, REJECT, RELEASE, RETRY, Subject};
use engine::factory::Peek;
use kernel::position::STOP;
use serde_json::{Value, json};
use workspace::Project;

/// The command that gives one answer to a question.
fn command(project: &str, question: &Question, option: &str) -> String {
    let because = "--because \"...\"";
    let id = &question.id;
    match (question.subject, option) {
        (_, RELEASE) => format!("proofhouse factory release {project} {because}"),
        (_, DEPRECATE) => format!("proofhouse factory deprecate MODULE {because}"),
        (_, RETRY) => format!("proofhouse factory retry {project} {because}"),
        (_, EXTEND) => format!("proofhouse factory extend {project} {because}"),
        (_, STOP) => format!("proofhouse factory stop {project} {because}"),
        (Subject::Spec, option) => {
            let words = match option {
                REJECT => " --reasons \"...\"",
                AMEND => " --feedback \"...\"",
                _ => "",
            };
            let verb = option.to_lowercase();
            format!("proofhouse factory {verb} {project}{words}")
        }
        (Subject::Escalation | Subject::Exception | Subject::Blocked | Subject::Stuck, _) => {
            let payload = payload(option);
            format!("proofhouse resolve {id} --action {option}{payload} {because}")
        }
        (Subject::Budget | Subject::Release, _) => {
            format!("proofhouse decide {project} {option} {because}")
        }
    }
}

/// What an answer needs beside its name.
fn payload(option: &str) -> &'static str {
    match Action::of(option) {
        Some(Action::ApproveOverride | Action::AbandonTask) => " --set rationale=\"...\"",
        Some(Action::AmendSpec) => {
            " --set amended_acceptance_criteria=\"...\" --set amendment_rationale=\"...\""
        }
        Some(Action::SplitTask | Action::RevisePlan | Action::ProvideFix) => " --payload FILE",
        None if option == "REJECT_CHANGE" => " --set then=requeue",
        None => "",
    }
}

/// A question with its commands.
pub(crate) fn facts(project: &str, questions: &[Question]) -> Vec<Value> {
    let one = |question: &Question| {
        let commands = question.options.iter();
        let commands: Vec<String> = commands
            .map(|option| command(project, question, option))
            .collect();
        let mut facts = json!(question);
        facts["commands"] = json!(commands);
        facts
    };
    questions.iter().map(one).collect()
}

/// Prints all that waits.
pub(crate) fn print(out: &Out, repository: &Project, project: &str, peek: &Peek) {
    let questions = peek.machine.questions();
    for question in &questions {
        let task = question.task.as_ref().map(ToString::to_string);
        let task = task.filter(|task| *task != question.id);
        let task = task.map_or_else(String::new, |task| format!(" ({task})"));
        out.line(&format!(
            "{} `{project}` {}{task}: {}",
            out.paint(Tone::Warn, "waiting"),
            question.id,
            plain(&question.what)
        ));
        for line in question.why.lines() {
            out.line(&format!("  {}", plain(line)));
        }
        for option in &question.options {
            let best = question.recommended.as_ref() == Some(option);
            let best = if best { "   (recommended)" } else { "" };
            out.line(&format!("  {}{best}", command(project, question, option)));
        }
    }
    if !questions.is_empty() {
        out.line(&decide::wants(repository, project, &peek.head.hash));
    }
}
