//! A task of a project as people look at it: what it is to do, what it waits for, what was said about each of
//! its modules, and what happened to it.

use crate::debate::{self, Conversation};
use crate::graph::{Graph, Node};
use crate::story::{Line, Story};
use factory::machine::{Factory, Question};
use factory::project::TaskId;
use kernel::Event;

/// One task.
pub struct TaskStory {
    pub project: String,
    pub node: Node,
    pub pillar: String,
    pub epic: String,
    /// The story of the spec that it belongs to.
    pub story: String,
    /// Those that it needs, and those that need it.
    pub needs: Vec<Node>,
    pub needed_by: Vec<Node>,
    /// What it must show, as people left it.
    pub criteria: Vec<String>,
    /// What is asked about it now.
    pub questions: Vec<Question>,
    pub debates: Vec<Conversation>,
    /// What happened, in sentences.
    pub lines: Vec<Line>,
}

impl TaskStory {
    /// Gathers it from a project and its events; none: there is no such task.
    pub fn of(project: &str, machine: &Factory, events: &[Event], id: &str) -> Option<Self> {
        let task = machine.tasks().get(&TaskId::new(id))?;
        let graph = Graph::of(machine);
        let at = graph.tasks.iter().position(|one| one.id == id)?;
        let node = graph.tasks[at].clone();
        let needs = node.after.iter().map(|on| graph.tasks[*on].clone());
        let needed_by = graph.tasks.iter().filter(|one| one.after.contains(&at));
        let amended = machine.amended_criteria(&task.declared.id).last();
        let mut story = Story::default();
        let lines = events.iter().flat_map(|event| story.hear(event));
        let mut debates = debate::of(events);
        debates.retain(|one| one.task == id);
        let mut questions = machine.questions();
        let about = |one: &Question| one.task.as_ref().is_some_and(|task| task.as_str() == id);
        questions.retain(about);
        Some(Self {
            project: project.to_owned(),
            pillar: task.declared.pillar.clone(),
            epic: task.declared.epic.clone(),
            story: task.declared.story.clone(),
            needs: needs.collect(),
            needed_by: needed_by.cloned().collect(),
            criteria: amended.unwrap_or(&task.declared.criteria).clone(),
            questions,
            debates,
            lines: lines
                .filter(|one| one.task.as_deref() == Some(id))
                .collect(),
            node,
        })
    }
}
