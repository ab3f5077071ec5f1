//! A question of a project with all that each of its answers needs: what it does, the members of its payload
//! as a person fills them in, and the command that gives it, ready to be copied.
//!
//! What a person filled in becomes a payload here and nowhere else; whether that may be is the machine's to say.

use crate::question::Asked;
use factory::halt::Action;
use factory::machine::{AMEND, APPROVE, Factory, Question, REJECT, RULINGS, Subject};
use factory::project::TaskId;
use kernel::Refusal;
use kernel::form::{Form, Presence};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How a member is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A list, a line each.
    Lines,
    /// Anything else, as JSON.
    Json,
}

/// A member of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub name: String,
    /// What belongs there.
    pub about: String,
    pub kind: Kind,
    /// May it be left out?
    pub optional: bool,
    /// What stands there to begin with: as it is now, or a form to fill in.
    pub given: String,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub option: String,
    /// What it does, in a line.
    pub does: String,
    pub recommended: bool,
    pub needs: Vec<Need>,
    /// The commands that give it.
    pub command: String,
}

/// The question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posed {
    pub project: String,
    pub question: Question,
    /// The name of its task.
    pub task: Option<String>,
    /// What did not hold, and what shows it.
    pub failed: Vec<(String, String)>,
    /// What else helps to decide, a line each.
    pub context: Vec<String>,
    pub answers: Vec<Answer>,
}

/// A question that waits no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub id: String,
    /// Its task's id and name.
    pub task: Option<(String, String)>,
    /// The resolution, and whose it is; none: it was settled otherwise.
    pub by: Option<(String, String)>,
}

impl Answered {
    /// The escalation, or the exception behind one, of this id; none: there never was one.
    pub fn of(machine: &Factory, id: &str) -> Option<Self> {
        let mut all = machine.escalations();
        let found = all.find(|one| {
            let exception = one.exception.as_ref();
            one.escalation_id.as_str() == id || exception.is_some_and(|it| it.as_str() == id)
        })?;
        let task = machine.tasks().get(&found.task_id);
        let by = found.resolved.as_ref();
        Some(Self {
            id: id.to_owned(),
            task: task.map(|task| (task.declared.id.to_string(), task.declared.task.clone())),
            by: by.map(|by| (by.resolution.action().as_str().to_owned(), by.who.clone())),
        })
    }
}

/// All that a project asks.
pub fn all(project: &str, machine: &Factory) -> Vec<Posed> {
    let questions = machine.questions().into_iter();
    questions
        .map(|question| posed(project, machine, question))
        .collect()
}

fn posed(project: &str, machine: &Factory, question: Question) -> Posed {
    let asked = Asked::of(project, question);
    let question = &asked.question;
    let task = question.task.as_ref();
    let named = task.and_then(|id| machine.tasks().get(id));
    let mut open = machine.open_escalations();
    let escalation = open.find(|one| Some(&one.task_id) == task);
    let failed = escalation.map(|one| one.failed_invariants.as_slice());
    let failed = failed.unwrap_or_default().iter();
    let context = escalation.map(|one| one.resolution_context.as_str());
    let each = question.options.iter().enumerate().map(|(at, option)| {
        let needs = needs(machine, task, option);
        Answer {
            does: asked.means[at].to_owned(),
            recommended: question.recommended.as_ref() == Some(option),
            command: worked(&asked.commands[at], option, &needs),
            option: option.clone(),
            needs,
        }
    });
    Posed {
        project: project.to_owned(),
        task: named.map(|task| task.declared.task.clone()),
        failed: failed
            .map(|one| (one.invariant.clone(), one.evidence.clone()))
            .collect(),
        context: context.map_or_else(Vec::new, |text| text.lines().map(str::to_owned).collect()),
        answers: each.collect(),
        question: question.clone(),
    }
}

/// What an answer needs beside its reason.
fn needs(machine: &Factory, task: Option<&TaskId>, option: &str) -> Vec<Need> {
    let (Some(task), Some(action)) = (task, Action::of(option)) else {
        return match option {
            "REJECT_CHANGE" => vec![Need {
                name: "then".to_owned(),
                about: "`requeue` lets the task try again within the contract; empty: its task waits for a resolution.".to_owned(),
                kind: Kind::Text,
                optional: true,
                given: String::new(),
            }],
            _ => Vec::new(),
        };
    };
    let blank = machine.payload(task, action);
    let members = action.payload().members.iter();
    let members = members.filter(|one| blank.get(one.name).is_some());
    let need = members.map(|one| {
        let kind = match one.form {
            Form::Text(_) => Kind::Text,
            Form::List(Form::Text(_), _) => Kind::Lines,
            _ => Kind::Json,
        };
        Need {
            name: one.name.to_owned(),
            about: one.about.to_owned(),
            kind,
            optional: one.presence == Presence::Optional,
            given: given(kind, one.about, &blank[one.name]),
        }
    });
    need.collect()
}

/// What a field begins with: nothing, where the form would only say what belongs there.
fn given(kind: Kind, about: &str, blank: &Value) -> String {
    match kind {
        Kind::Text => String::new(),
        Kind::Lines => {
            let lines = blank.as_array().into_iter().flatten();
            let lines = lines.filter_map(Value::as_str);
            let lines: Vec<&str> = lines.filter(|one| *one != about.trim()).collect();
            lines.join("\n")
        }
        Kind::Json => serde_json::to_string_pretty(blank).unwrap_or_default(),
    }
}

/// The command with the file that it reads, where it reads one.
fn worked(command: &str, option: &str, needs: &[Need]) -> String {
    if !command.contains("--payload FILE") {
        return command.to_owned();
    }
    let file = format!("{}.json", option.to_lowercase());
    let members = needs.iter().map(|one| {
        let value = match one.kind {
            Kind::Text => json!(one.about),
            Kind::Lines => json!(one.given.lines().collect::<Vec<_>>()),
            Kind::Json => serde_json::from_str(&one.given).unwrap_or_default(),
        };
        (one.name.clone(), value)
    });
    let payload = Value::Object(members.collect::<Map<_, _>>());
    let payload = serde_json::to_string_pretty(&payload).unwrap_or_default();
    let command = command.replace("FILE", &file);
    format!("cat > {file} <<'END'\n{payload}\nEND\n# edit {file}, then\n{command}")
}

impl Posed {
    /// What an answer to it names: what asks, or the task that a resolution is for.
    pub fn named(&self, option: &str) -> String {
        let task = self.question.task.as_ref();
        match (self.question.subject, task, Action::of(option)) {
            (Subject::Release, Some(task), Some(_)) => task.to_string(),
            _ => self.question.id.clone(),
        }
    }

    /// Is this answer about a task or an exception, and not about the project as a whole?
    pub fn resolves(&self, option: &str) -> bool {
        Action::of(option).is_some() || RULINGS.iter().any(|(name, _)| *name == option)
    }
}

impl Answer {
    /// Is it a word about the spec? Whoever says it means the bytes that they read.
    pub fn is_of_spec(&self) -> bool {
        [APPROVE, REJECT, AMEND].contains(&self.option.as_str())
    }

    /// The payload of what a person filled in; null where it needs nothing. What may be left out and was left
    /// as it is, is left out.
    pub fn payload(&self, filled: &BTreeMap<String, String>) -> Result<Value, Refusal> {
        let known = |name: &String| self.needs.iter().any(|need| need.name == *name);
        if let Some(name) = filled.keys().find(|name| !known(name)) {
            return Err(Refusal::new(
                "payload_member_unknown",
                format!("`{name}` is no part of {}", self.option),
                "load the page again",
            ));
        }
        let mut payload = Map::new();
        for need in &self.needs {
            let text = filled.get(&need.name).map_or("", String::as_str);
            let text = text.replace("\r\n", "\n");
            let same = text.trim() == need.given.trim() || text.trim().is_empty();
            if need.optional && same {
                continue;
            }
            let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
            let value = match need.kind {
                Kind::Text => json!(text.trim()),
                Kind::Lines => json!(lines().collect::<Vec<_>>()),
                Kind::Json => serde_json::from_str(&text).map_err(|error| {
                    Refusal::new(
                        "payload_malformed",
                        format!("`{}` is no JSON: {error}", need.name),
                        "mend it in the field; the page keeps what you wrote",
                    )
                })?,
            };
            payload.insert(need.name.clone(), value);
        }
        Ok(match payload.is_empty() {
            true => Value::Null,
            false => Value::Object(payload),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(name: &str, kind: Kind, optional: bool, given: &str) -> Need {
        Need {
            name: name.to_owned(),
            about: String::new(),
            kind,
            optional,
            given: given.to_owned(),
        }
    }

    #[test]
    fn what_was_filled_in_is_a_payload_and_what_was_left_as_it_is_stays() {
        let answer = Answer {
            option: "AMEND_SPEC".to_owned(),
            does: String::new(),
            recommended: false,
            needs: vec![
                need("criteria", Kind::Lines, true, "a\nb"),
                need("cases", Kind::Json, true, "[]"),
                need("why", Kind::Text, false, ""),
            ],
            command: String::new(),
        };
        let fill = |all: &[(&str, &str)]| {
            let all = all
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            answer.payload(&all.collect())
        };
        let told = fill(&[
            ("criteria", "a\r\n\n c \n"),
            ("cases", "[]"),
            ("why", " so "),
        ]);
        assert_eq!(told, Ok(json!({"criteria": ["a", "c"], "why": "so"})));
        let told = fill(&[("criteria", "a\r\nb"), ("cases", "[{\"case\": 1}]")]);
        assert_eq!(told, Ok(json!({"cases": [{"case": 1}], "why": ""})));
        assert_eq!(
            fill(&[("cases", "{")]).unwrap_err().code,
            "payload_malformed"
        );
        assert_eq!(
            fill(&[("task", "T-1")]).unwrap_err().code,
            "payload_member_unknown"
        );
    }
}
