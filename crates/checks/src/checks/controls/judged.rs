//! What controls say once all of them were tried: whether a suite could have failed, and by what.

use super::plan::Plan;
use super::seen::{Fate, Reached, Tried};
use super::{Control, Found, Purpose, Record, answered};
use crate::text::first_few;
use languages::{beside, judges, script::Source};
use std::collections::BTreeSet;

impl Control<'_> {
    /// What the mutants that were tried come to.
    pub(super) fn judged(&self, plan: &Plan, reached: &Reached, record: &mut Record) -> Found {
        let noticed = |tried: &&Tried| matches!(tried.fate, Fate::Noticed { .. });
        let mut survived: Vec<String> = Vec::new();
        let mut unreached: Vec<String> = Vec::new();
        for function in &plan.functions {
            let own = |tried: &&Tried| tried.number == function.number;
            if !reached.has(function.number) {
                unreached.push(format!(
                    "`{}` ({}:{})",
                    function.name, function.path, function.line
                ));
                continue;
            }
            let lives =
                |tried: &&Tried| tried.constant && matches!(tried.fate, Fate::Survived { .. });
            let living = record.mutants.iter().filter(own).filter(lives);
            survived.extend(living.map(|one| one.what.clone()));
        }
        let others = record.mutants.iter().filter(|one| !one.constant);
        let others = others.filter(|one| matches!(one.fate, Fate::Survived { .. }));
        let open: Vec<String> = others.map(|one| one.what.clone()).collect();
        let said = match self.controls.are_answered() {
            true => {
                let result = self.subject.result;
                let answers = result.map_or(&serde_json::Value::Null, |one| &one["answers"]);
                answered::Said::of(&open, answers)
            }
            false => answered::Said::default(),
        };
        record.told.extend(open.iter().map(|one| {
            format!("no test notices: {one}; add a test, or say why it makes no difference")
        }));
        let accepted = said.equivalent.iter();
        record
            .told
            .extend(accepted.map(|one| format!("makes no difference, it was said: {one}")));
        record
            .told
            .extend(unreached.iter().map(|one| format!("no test reaches {one}")));
        record.told.extend(record.not_tried());
        let untried = self.untried(plan, reached, record);
        let nothing = !plan.functions.is_empty() && unreached.len() == plan.functions.len();
        let count = record.mutants.iter().filter(noticed).count();
        match self.purpose {
            // They look at its text, or run it where no mark of ours can be seen.
            _ if nothing && count > 0 => Found::Weak(format!(
                "tests notice another {}, and none was seen to run it",
                first_few(&unreached, 3)
            )),
            Purpose::Behaviour if nothing => Found::Survived(vec![format!(
                "no test reaches what the change touches: {}",
                first_few(&unreached, 5)
            )]),
            Purpose::Unsaid if nothing => Found::Weak(format!(
                "no test reaches what the change touches: {}",
                first_few(&unreached, 5)
            )),
            Purpose::Behaviour | Purpose::Unsaid if !survived.is_empty() => {
                Found::Survived(survived)
            }
            Purpose::Behaviour | Purpose::Unsaid if !said.real.is_empty() => {
                Found::Survived(said.real)
            }
            Purpose::Behaviour | Purpose::Unsaid if !said.open.is_empty() => {
                Found::Unanswered(said.open)
            }
            // A part of the change that nothing runs is not shown by tests of another part.
            Purpose::Behaviour | Purpose::Unsaid | Purpose::Refactoring
                if !unreached.is_empty() && !nothing && self.controls.need_mutants() =>
            {
                Found::Weak(format!("no test reaches {}", first_few(&unreached, 5)))
            }
            // A sample tells of what it is taken from, as long as it is the larger part of it.
            Purpose::Behaviour | Purpose::Unsaid | Purpose::Refactoring if !untried.is_empty() => {
                let untried = first_few(&untried, 5);
                Found::Weak(match record.out_of_time {
                    0 => format!(
                        "most functions of the change had no mutant tried: {untried}; make the change in parts"
                    ),
                    many => format!(
                        "time ran out with {} not tried, those of most functions of the change among them: {untried}",
                        counted(many, "mutant")
                    ),
                })
            }
            Purpose::Refactoring if count == 0 && !plan.functions.is_empty() => Found::Weak(
                "no test notices when the code that was touched does something else".to_owned(),
            ),
            Purpose::Behaviour | Purpose::Refactoring | Purpose::Unsaid => {
                if let Some(why) = self.unmutated(plan, record) {
                    return Found::Weak(format!("nothing was mutated: {why}"));
                }
                // What has mutants shows nothing of what has none.
                let asked = self.controls.need_mutants() && self.subject.mutants != Some(0);
                let code = self.files.code.iter().map(|file| Source {
                    path: &file.path,
                    now: &file.now,
                    before: file.before.as_deref(),
                });
                let mut beside = beside::unmutated(code, &|path, line| {
                    let mut own = plan.functions.iter().filter(|one| one.path == path);
                    own.any(|one| line.is_none_or(|line| one.line as usize == line))
                });
                beside.extend(self.taken_in());
                beside.extend(record.unmutated.iter().cloned());
                if asked && !beside.is_empty() {
                    return Found::Weak(format!("not mutated: {}", first_few(&beside, 3)));
                }
                record.told.extend(
                    survived
                        .into_iter()
                        .map(|one| format!("no test notices: {one}")),
                );
                let mut held = Self::held(plan, record, &open);
                if !said.equivalent.is_empty() {
                    held.push_str("; of each it was said why it makes no difference");
                }
                Found::Held(held)
            }
        }
    }

    /// The functions that tests reach and of which no mutant was tried, for want of time or room, where they
    /// are more than the others.
    fn untried(&self, plan: &Plan, reached: &Reached, record: &Record) -> Vec<String> {
        let whole = record.left_out == 0 && record.out_of_time == 0;
        if whole || self.subject.mutants.is_some() || !self.controls.need_mutants() {
            return Vec::new();
        }
        let own = plan.functions.iter();
        let own: Vec<_> = own.filter(|one| reached.has(one.number)).collect();
        let tried = |number: u32| record.mutants.iter().any(|one| one.number == number);
        let open = own.iter().filter(|one| !tried(one.number));
        let open = open.map(|one| format!("`{}` ({}:{})", one.name, one.path, one.line));
        let open: Vec<String> = open.collect();
        match 2 * open.len() > own.len() {
            true => open,
            false => Vec::new(),
        }
    }

    /// Files of tests that the product takes in: they are the product, and nobody tests them.
    fn taken_in(&self) -> Vec<String> {
        let tests = self.files.tests.iter().filter(|file| file.changed);
        let pairs = tests.flat_map(|test| self.files.code.iter().map(move |code| (code, test)));
        let takes = pairs.filter(|(code, test)| {
            let before = code.before.as_deref().unwrap_or_default();
            judges::takes_in(&code.now, &test.path) && !judges::takes_in(before, &test.path)
        });
        takes
            .map(|(code, test)| format!("{}, which {} imports", test.path, code.path))
            .collect()
    }

    fn held(plan: &Plan, record: &Record, open: &[String]) -> String {
        let noticed = record.mutants.iter();
        let noticed = noticed.filter(|tried| matches!(tried.fate, Fate::Noticed { .. }));
        let numbers: Vec<u32> = noticed.map(|tried| tried.number).collect();
        let functions = numbers.iter().collect::<BTreeSet<_>>().len();
        let canaries: usize = plan.tests.iter().map(|test| test.canaries.len()).sum();
        let turned: usize = plan.tests.iter().map(|test| test.turned.len()).sum();
        let mut said = format!("{canaries} canaries");
        if turned > 0 {
            said.push_str(&format!(" and {} turned round", counted(turned, "test")));
        }
        said.push_str(" ended as they must");
        match plan.functions.len() {
            0 => said.push_str("; nothing of the change was mutated"),
            _ => said.push_str(&format!(
                "; {} of {} {} noticed",
                counted(numbers.len(), "mutant"),
                counted(functions, "function"),
                if numbers.len() == 1 { "was" } else { "were" }
            )),
        }
        if record.left_out > 0 {
            said.push_str(&format!(
                "; {} more were left out (`checks.mutants`)",
                record.left_out
            ));
        }
        if let Some(why) = record.not_tried() {
            said.push_str(&format!("; {why}"));
        }
        if !open.is_empty() {
            let few = first_few(open, 3);
            let many = counted(open.len(), "small mutant");
            said.push_str(&format!("; not noticed: {many}, {few}"));
        }
        said
    }
}

impl Record {
    /// How many mutants there was no time for.
    pub(super) fn not_tried(&self) -> Option<String> {
        let count = counted(self.out_of_time, "mutant");
        (self.out_of_time > 0).then(|| format!("time ran out: {count} not tried"))
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
