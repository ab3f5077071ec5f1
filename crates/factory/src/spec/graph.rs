//! The questions that need all tasks together: ids once (rule 7), references that lead somewhere
//! (rule 8), no way round in a circle (rule 9). The circle is named, one for each knot of tasks.
//! It does not recurse: a chain of 100,000 tasks must not overflow the stack.

use crate::deficiency::Deficiency;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One step of the way down: a member, and where in its list.
pub(super) type Step = (&'static str, Option<u32>);

pub(super) fn path_of(trail: &[Step]) -> String {
    let mut path = String::from("$");
    for (name, index) in trail {
        path.push('.');
        path.push_str(name);
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
    }
    path
}

/// What the walk keeps of a task.
pub(super) struct TaskSeen<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) offset: usize,
    pub(super) depends_on: Vec<(Cow<'a, str>, usize)>,
    /// Indices of pillar, epic, story and task.
    pub(super) trail: [u32; 4],
}

/// The indices of a task's way down.
pub(super) fn short(trail: &[Step]) -> [u32; 4] {
    let mut short = [0; 4];
    for (place, (_, index)) in short.iter_mut().zip(trail) {
        *place = index.unwrap_or(0);
    }
    short
}

fn path(task: &TaskSeen<'_>) -> String {
    let names = ["pillars", "epics", "stories", "tasks"];
    let trail: Vec<Step> = names.into_iter().zip(task.trail.map(Some)).collect();
    path_of(&trail)
}

pub(super) fn judge(tasks: &[TaskSeen<'_>], found: &mut Vec<(usize, Deficiency)>) {
    let mut say = |offset: usize, task: &TaskSeen<'_>, field: String, code, rule, message| {
        let mut deficiency = Deficiency::error(code, path(task), field, message);
        deficiency.rule = Some(rule);
        found.push((offset, deficiency));
    };
    let mut first: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        match first.get(task.id.as_ref()) {
            None => {
                first.insert(task.id.as_ref(), index as u32);
            }
            Some(earlier) => {
                let message = format!(
                    "`{}` is also the id of {}; ids are unique across the spec",
                    task.id,
                    path(&tasks[*earlier as usize])
                );
                say(
                    task.offset,
                    task,
                    "task_id".to_owned(),
                    "duplicate_id",
                    7,
                    message,
                );
            }
        }
    }
    let mut edges: Vec<Vec<u32>> = Vec::with_capacity(tasks.len());
    for task in tasks {
        let mut targets = Vec::with_capacity(task.depends_on.len());
        for (index, (reference, offset)) in task.depends_on.iter().enumerate() {
            match first.get(reference.as_ref()) {
                Some(target) => targets.push(*target),
                None => {
                    let shown: String = reference.chars().take(128).collect();
                    let message = format!("there is no task `{shown}` in this spec");
                    let field = format!("depends_on[{index}]");
                    say(*offset, task, field, "unknown_reference", 8, message);
                }
            }
        }
        edges.push(targets);
    }
    for circle in circles(&edges) {
        let head = &tasks[circle[0] as usize];
        let message = format!("the tasks wait for each other: {}", named(tasks, &circle));
        say(
            head.offset,
            head,
            "depends_on".to_owned(),
            "cycle",
            9,
            message,
        );
    }
}

/// `A -> B -> A`; the middle of a very long circle is left out.
fn named(tasks: &[TaskSeen<'_>], circle: &[u32]) -> String {
    const MOST: usize = 20;
    let mut names: Vec<&str> = circle
        .iter()
        .map(|task| tasks[*task as usize].id.as_ref())
        .collect();
    names.push(names[0]);
    if names.len() > MOST {
        let rest = format!("... {} more ...", names.len() - MOST);
        let (head, tail) = (&names[..MOST / 2], &names[names.len() - MOST / 2..]);
        return format!("{} -> {rest} -> {}", head.join(" -> "), tail.join(" -> "));
    }
    names.join(" -> ")
}

/// Circles of the graph, at least one in each knot: every edge that leads back into the way that
/// is being followed closes one. A task is named in one circle only.
pub(crate) fn circles(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnTheWay(u32),
        Done,
    }
    let mut marks = vec![Mark::New; edges.len()];
    let mut named = vec![false; edges.len()];
    let mut found = Vec::new();
    // The way that is followed: a task, and how many of its edges were taken.
    let mut way: Vec<(u32, u32)> = Vec::new();
    for start in 0..edges.len() as u32 {
        if marks[start as usize] != Mark::New {
            continue;
        }
        marks[start as usize] = Mark::OnTheWay(0);
        way.push((start, 0));
        while let Some((task, taken)) = way.last_mut() {
            let Some(target) = edges[*task as usize].get(*taken as usize).copied() else {
                marks[*task as usize] = Mark::Done;
                way.pop();
                continue;
            };
            *taken += 1;
            match marks[target as usize] {
                Mark::New => {
                    marks[target as usize] = Mark::OnTheWay(way.len() as u32);
                    way.push((target, 0));
                }
                Mark::OnTheWay(from) => {
                    let circle: Vec<u32> =
                        way[from as usize..].iter().map(|(task, _)| *task).collect();
                    if circle.iter().all(|task| !named[*task as usize]) {
                        for task in &circle {
                            named[*task as usize] = true;
                        }
                        found.push(circle);
                    }
                }
                Mark::Done => {}
            }
        }
    }
    found
}
