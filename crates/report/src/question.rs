//! What a person is asked: what, why, and the exact commands that answer. The machine says what may be
//! answered; only the spelling of commands is here.

use factory::halt::Action;
use factory::machine::{
    AMEND, DEPRECATE, EXTEND, Question, REJECT, RELEASE, RETRY, RULINGS, Subject,
};
use kernel::event::RunStarted;
use kernel::machine::Waiting;
use kernel::position::STOP;
use serde::Serialize;

/// What an answer to a question names: what asks, or the task that a resolution is for.
fn named<'q>(question: &'q Question, option: &str) -> &'q str {
    let task = question.task.as_ref();
    match (question.subject, task, Action::of(option)) {
        (Subject::Release, Some(task), Some(_)) => task.as_str(),
        _ => &question.id,
    }
}

/// What waits for a resolution or a ruling of this name; nothing for any other answer.
pub fn resolved_by(questions: &[Question], option: &str) -> Vec<String> {
    let ruling = RULINGS.iter().any(|(name, _)| *name == option);
    let offers = questions
        .iter()
        .filter(|one| one.options.iter().any(|has| has == option));
    let named = offers.map(|one| named(one, option).to_owned());
    match ruling || Action::of(option).is_some() {
        true => named.collect(),
        false => Vec::new(),
    }
}

/// The command that gives one answer to a question.
fn command(project: &str, question: &Question, option: &str) -> String {
    let because = "--because \"...\"";
    let id = named(question, option);
    match (question.subject, option) {
        (_, RELEASE) => {
            let modules = question.modules.iter();
            let modules: String = modules.map(|one| format!(" --module {one}")).collect();
            format!("proofhouse factory release {project}{modules} {because}")
        }
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
        (Subject::Budget, _) => format!("proofhouse decide {project} {option} {because}"),
        _ => {
            let payload = payload(option);
            format!("proofhouse resolve {id} --action {option}{payload} {because}")
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

/// A question of a project, with the command for each of its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    #[serde(flatten)]
    pub question: Question,
    /// A command for each option, in their order.
    pub commands: Vec<String>,
    /// What each option does, in their order.
    pub means: Vec<&'static str>,
}

impl Asked {
    pub(crate) fn of(project: &str, question: Question) -> Asked {
        let commands = question.options.iter();
        let commands = commands.map(|option| command(project, &question, option));
        Asked {
            means: question.options.iter().map(|option| does(option)).collect(),
            commands: commands.collect(),
            question,
        }
    }
}

/// A question in the words that text and pages share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worded {
    /// Who asks what.
    pub headline: String,
    /// What a person should know, a line each.
    pub lines: Vec<String>,
    /// The answers, in their order.
    pub answers: Vec<Way>,
}

/// One way to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    pub command: String,
    /// What it does, in a line; may be empty.
    pub does: String,
    pub advice: Advice,
}

/// What an answer to a project's question does, in a line.
fn does(option: &str) -> &'static str {
    match Action::of(option) {
        Some(Action::ApproveOverride) => {
            "accepts the work as it is, in your name; surface, tests and stubs are still judged"
        }
        Some(Action::AbandonTask) => "gives the task up, and what needs it",
        Some(Action::AmendSpec) => "changes what the task must do, and plans it anew",
        Some(Action::SplitTask) => "makes several tasks of it",
        Some(Action::RevisePlan) => "puts your plan in the place of the role's",
        Some(Action::ProvideFix) => "puts your files in the place of the role's, to be challenged",
        None => match option {
            "APPROVE" => "accepts the spec as it is shown, and plans its tasks",
            REJECT => "discards the spec; the agent begins again, with your reasons",
            AMEND => "lets the agent go on from this draft, with what you say",
            "APPROVE_CHANGE" => "lets the contract change, for all who use it",
            "REJECT_CHANGE" => "leaves the contract as it is; the task goes on without",
            "DEFER" => "leaves it open, and asks again later",
            RELEASE => "runs the release gates, and releases what passes them",
            DEPRECATE => "takes a module out of what may be used",
            EXTEND => "grants as much of the budget again, and goes on",
            RETRY => "tries once more what could not be done",
            STOP => "ends the project for good; what it made is kept",
            _ => "",
        },
    }
}

/// Is an answer the recommended one?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// One of several.
    None,
    /// The one that the role recommends.
    Recommended,
}

/// What lets in a person's word about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Whatever the repository takes.
    Any,
    /// A guest works in the run: a passkey, or another key that wants a touch.
    Touch,
}

impl By {
    /// What the run takes, as it was begun.
    pub fn of(started: Option<&RunStarted>) -> Self {
        match started.is_some_and(|started| started.unconfined) {
            true => By::Touch,
            false => By::Any,
        }
    }
}

/// The command that gives one answer to what a run waits for, in a form that can answer.
pub fn decide(run: &str, option: &str, by: By) -> String {
    let signed = match by {
        By::Any => "",
        By::Touch => " --signature FILE",
    };
    format!("proofhouse decide {run} {option} --because \"...\"{signed}")
}

/// What a run waits for, in words.
pub fn of_run(run: &str, waiting: &Waiting, by: By) -> Worded {
    let mut lines = waiting.why.lines().map(str::to_owned);
    let first = lines.next().unwrap_or_default();
    Worded {
        headline: format!("`{run}` waits for a person ({}): {first}", waiting.reason),
        lines: lines.collect(),
        answers: waiting
            .options
            .iter()
            .map(|option| Way {
                command: decide(run, option, by),
                does: waiting.means.get(option).cloned().unwrap_or_default(),
                advice: Advice::None,
            })
            .collect(),
    }
}

/// What a project asks, in words.
pub fn of_project(project: &str, asked: &Asked) -> Worded {
    let Asked {
        question, commands, ..
    } = asked;
    let task = question.task.as_ref().map(ToString::to_string);
    let task = task.filter(|task| *task != question.id);
    let task = task.map_or_else(String::new, |task| format!(" ({task})"));
    let advice = |option: &String| match question.recommended.as_ref() == Some(option) {
        true => Advice::Recommended,
        false => Advice::None,
    };
    let way = |(command, option): (&String, &String)| Way {
        command: command.clone(),
        does: does(option).to_owned(),
        advice: advice(option),
    };
    let answers = commands.iter().zip(&question.options);
    Worded {
        headline: format!("`{project}` {}{task}: {}", question.id, question.what),
        lines: question.why.lines().map(str::to_owned).collect(),
        answers: answers.map(way).collect(),
    }
}

/// The code that a person reads and types again: six characters that no eye confuses. It changes with
/// every record of the journal, so that it always answers the question that is open now.
pub fn run_code(run: &str, head_hash: &str) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let text = format!(
        "proofhouse run code v1\n{}: {run}\n{head_hash}\n",
        run.len()
    );
    let hash = store::sha256_hex(text.as_bytes());
    let digit = |digit: u8| u64::from(char::from(digit).to_digit(16).unwrap_or(0));
    let bits = hash.bytes().take(8);
    let bits = bits.fold(0u64, |sum, byte| sum << 4 | digit(byte));
    (0..6)
        .map(|place| char::from(ALPHABET[(bits >> (place * 5) & 31) as usize]))
        .collect()
}
