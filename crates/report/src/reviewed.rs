//! A spec as a document with the warnings beside the lines that they are about, and what a person may say to it.

use crate::posed::{self, Posed};
use crate::review::Fate;
use factory::Deficiency;
use factory::machine::{Factory, Subject};
use factory::spec::{Product, ProductSpec, Task};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A heading of that depth, from 2.
    Heading(u8),
    Text,
    /// A word before what follows it.
    Label,
    Item,
}

/// A line of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it stands in the document, from `$` down.
    pub path: String,
    pub kind: Kind,
    /// What comes before the text, such as an id.
    pub mark: String,
    pub text: String,
    /// What a person should know of it.
    pub warnings: Vec<String>,
}

/// The whole.
#[derive(Debug, Clone)]
pub struct Reviewed {
    pub project: String,
    pub title: String,
    /// The hash of the very bytes.
    pub sha256: String,
    pub lines: Vec<Line>,
    /// What is wrong with a draft that is not complete.
    pub deficiencies: Vec<String>,
    pub sources: Vec<String>,
    /// Of a further version: what becomes of each task.
    pub further: Vec<Fate>,
    pub advice: Option<String>,
    /// What is asked about it, while it waits.
    pub posed: Option<Posed>,
}

impl Reviewed {
    /// Of a project's spec; none: there is no complete one yet.
    pub fn of(
        project: &str,
        machine: &Factory,
        spec: Option<(&ProductSpec, String)>,
        warnings: &[Deficiency],
    ) -> Self {
        let mut asked = posed::all(project, machine).into_iter();
        let (lines, title, sha256) = match &spec {
            Some((spec, hash)) => (lines(spec, warnings), spec.title.clone(), hash.clone()),
            None => Default::default(),
        };
        Self {
            project: project.to_owned(),
            title,
            sha256,
            lines,
            deficiencies: Vec::new(),
            sources: Vec::new(),
            further: Vec::new(),
            advice: None,
            posed: asked.find(|one| one.question.subject == Subject::Spec),
        }
    }

    /// How many warnings there are.
    pub fn warnings(&self) -> usize {
        self.lines.iter().map(|line| line.warnings.len()).sum()
    }
}

/// Lines, as they are written one after the other.
#[derive(Default)]
struct Writer(Vec<Line>);

impl Writer {
    fn put(&mut self, kind: Kind, path: String, mark: &str, text: &str) {
        self.0.push(Line {
            path,
            kind,
            mark: mark.to_owned(),
            text: text.to_owned(),
            warnings: Vec::new(),
        });
    }

    fn list(&mut self, path: &str, label: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.put(Kind::Label, path.to_owned(), "", label);
        for (nth, item) in items.iter().enumerate() {
            self.put(Kind::Item, format!("{path}[{nth}]"), "", item);
        }
    }
}

fn lines(spec: &ProductSpec, warnings: &[Deficiency]) -> Vec<Line> {
    let mut out = Writer::default();
    out.put(
        Kind::Text,
        "$.description".to_owned(),
        "",
        &spec.description,
    );
    if let Some(product) = &spec.product {
        write_product(&mut out, product);
    }
    for (nth, pillar) in spec.pillars.iter().enumerate() {
        let at = format!("$.pillars[{nth}]");
        out.put(
            Kind::Heading(2),
            at.clone(),
            &pillar.pillar_id,
            &pillar.name,
        );
        out.put(
            Kind::Text,
            format!("{at}.description"),
            "",
            &pillar.description,
        );
        out.put(
            Kind::Text,
            format!("{at}.rationale"),
            "Why",
            &pillar.rationale,
        );
        for (nth, epic) in pillar.epics.iter().enumerate() {
            let at = format!("{at}.epics[{nth}]");
            out.put(Kind::Heading(3), at.clone(), &epic.epic_id, &epic.name);
            out.put(
                Kind::Text,
                format!("{at}.description"),
                "",
                &epic.description,
            );
            let promised = format!("{at}.success_criteria");
            out.list(&promised, "It succeeds if", &epic.success_criteria);
            for (nth, story) in epic.stories.iter().enumerate() {
                let at = format!("{at}.stories[{nth}]");
                out.put(Kind::Heading(4), at.clone(), &story.story_id, &story.name);
                out.put(
                    Kind::Text,
                    format!("{at}.description"),
                    "",
                    &story.description,
                );
                let seen = format!("{at}.user_facing_behavior");
                out.put(Kind::Text, seen, "Users see", &story.user_facing_behavior);
                for (nth, task) in story.tasks.iter().enumerate() {
                    write_task(&mut out, &format!("{at}.tasks[{nth}]"), task);
                }
            }
        }
    }
    let mut lines = out.0;
    for warning in warnings {
        beside(&mut lines, warning);
    }
    lines
}

fn write_product(out: &mut Writer, product: &Product) {
    let at = "$.product";
    out.put(
        Kind::Heading(2),
        at.to_owned(),
        product.form.as_str(),
        &product.name,
    );
    if let Some(tongue) = product.language {
        let language = tongue.language().as_str();
        out.put(Kind::Text, format!("{at}.language"), "In", language);
    }
    for (name, said) in [("entry", &product.entry), ("why", &product.why)] {
        if let Some(said) = said {
            let mark = if name == "entry" {
                "At the front"
            } else {
                "Why"
            };
            out.put(Kind::Text, format!("{at}.{name}"), mark, said);
        }
    }
    for (nth, case) in product.cases.iter().enumerate() {
        let at = format!("{at}.cases[{nth}]");
        let shows = format!("case {} shows {}", nth + 1, case.shows.join(", "));
        out.put(Kind::Label, at.clone(), "", &shows);
        for (nth, step) in case.steps.iter().enumerate() {
            let called = languages::product::called::shown(step);
            out.put(Kind::Item, format!("{at}.steps[{nth}]"), "calls", &called);
        }
        for (nth, claim) in case.holds.iter().enumerate() {
            let claimed = claim.to_string();
            out.put(Kind::Item, format!("{at}.holds[{nth}]"), "holds", &claimed);
        }
        if case.steps.is_empty() {
            out.put(Kind::Item, format!("{at}.given"), "given", &case.given);
        }
        for (name, said) in [("prints", &case.prints), ("refuses", &case.refuses)] {
            if let Some(said) = said {
                out.put(Kind::Item, format!("{at}.{name}"), name, said);
            }
        }
    }
}

fn write_task(out: &mut Writer, at: &str, task: &Task) {
    out.put(Kind::Heading(5), at.to_owned(), &task.task_id, &task.name);
    out.put(
        Kind::Text,
        format!("{at}.description"),
        "",
        &task.description,
    );
    if !task.depends_on.is_empty() {
        let on = task.depends_on.join(", ");
        out.put(Kind::Text, format!("{at}.depends_on"), "After", &on);
    }
    out.list(&format!("{at}.subtasks"), "Subtasks", &task.subtasks);
    let criteria = format!("{at}.acceptance_criteria");
    out.list(&criteria, "It is done if", &task.acceptance_criteria);
    let sketch = format!("{at}.io_contract_sketch");
    out.put(Kind::Label, sketch.clone(), "", "What goes in and out");
    let io = &task.io_contract_sketch;
    for (name, mark, text) in [
        ("inputs", "takes", &io.inputs),
        ("outputs", "gives", &io.outputs),
        ("error_surfaces", "fails", &io.error_surfaces),
        ("effects", "changes", &io.effects),
        ("modes", "is called", &io.modes),
    ] {
        out.put(Kind::Item, format!("{sketch}.{name}"), mark, text);
    }
}

/// Puts a warning beside the line that it is about: the innermost that holds its place.
fn beside(lines: &mut [Line], warning: &Deficiency) {
    let place = warning.whole_path();
    let holds = |path: &str| {
        let rest = place.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let all = lines.iter().enumerate();
    let nearest = all.filter(|(_, line)| holds(&line.path));
    let nearest = nearest.max_by_key(|(_, line)| line.path.len());
    let at = nearest.map_or(0, |(at, _)| at);
    if let Some(line) = lines.get_mut(at) {
        line.warnings.push(match warning.rule {
            Some(rule) => format!("{} (rule {rule})", warning.message),
            None => warning.message.clone(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_stands_beside_the_innermost_line_that_holds_its_place() {
        let mut out = Writer::default();
        let all = ["a".to_owned(), "b".to_owned()];
        out.put(Kind::Heading(5), "$.tasks[1]".to_owned(), "", "one");
        out.list("$.tasks[1].subtasks", "Subtasks", &all);
        out.put(Kind::Heading(5), "$.tasks[10]".to_owned(), "", "another");
        let warns = |path: &str, field: &str| {
            let mut lines = out.0.clone();
            beside(&mut lines, &Deficiency::error("x", path, field, "look"));
            let with = lines.iter().position(|line| !line.warnings.is_empty());
            lines[with.unwrap()].path.clone()
        };
        assert_eq!(warns("$.tasks[1]", "subtasks[1]"), "$.tasks[1].subtasks[1]");
        assert_eq!(warns("$.tasks[1]", "subtasks"), "$.tasks[1].subtasks");
        assert_eq!(warns("$.tasks[10].io", "modes"), "$.tasks[10]");
        assert_eq!(
            warns("$", "title"),
            "$.tasks[1]",
            "the first, if none holds it"
        );
    }
}
