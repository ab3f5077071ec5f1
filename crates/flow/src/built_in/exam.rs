//! The exam's states and ways, the same in every workflow that has one. A workflow says in one line where
//! they go and what is its own about them; `workflows/exam.toml` has the rest.

use std::collections::BTreeMap;

const STATES: &str = include_str!("../../workflows/exam.toml");
const BRIEF: &str = include_str!("../../workflows/examine.md");
/// What the line begins with in which a workflow says what is its own.
const LINE: &str = "#exam: ";
/// Where tests are looked for, so that none of them is in the room.
const TESTS: [&str; 2] = ["test files", "inline tests"];

/// Puts them in the place of the line; a workflow without one has no exam.
pub(super) fn put_in(files: &mut BTreeMap<String, String>) {
    let Some(workflow) = files.get_mut(crate::load::MAIN) else {
        return;
    };
    let own = workflow.lines().find_map(|line| line.strip_prefix(LINE));
    let Some(own) = own.map(str::to_owned) else {
        return;
    };
    // What cannot be read stays, and the loader misses the states.
    let Ok(row) = toml::from_str::<BTreeMap<String, Row>>(&format!("row = {{ {own} }}")) else {
        return;
    };
    let Some(row) = row.get("row") else { return };
    *workflow = workflow.replace(&format!("{LINE}{own}"), &row.fill(STATES));
    files.insert("briefs/examine.md".to_owned(), row.fill(BRIEF));
}

/// What is a workflow's own about its exam.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// What it calls the task, for the examiner.
    asks: String,
    /// The state whose checkpoint is the code before.
    base: String,
    /// The freeze with what is installed, where there is one.
    ground: Option<String>,
    /// Globs of tests of its own.
    #[serde(default)]
    tests: Vec<String>,
    /// Parts of the task's documents that the examiner reads.
    #[serde(default)]
    reads: Vec<String>,
    /// The document whose refusals each have a case, by their codes.
    codes: Option<String>,
    /// The counter of its repairs.
    counter: String,
    /// Where what failed is mended.
    builder: String,
    /// Where it goes on when other cases were written.
    proof: String,
    /// Where it goes on when the cases hold.
    passed: String,
}

impl Row {
    fn fill(&self, text: &str) -> String {
        let list = |own: &[String], all: &[&str]| {
            let own = own.iter().map(String::as_str).chain(all.iter().copied());
            let quoted: Vec<String> = own.map(|one| format!("{one:?}")).collect();
            quoted.join(", ")
        };
        let frozen = self.ground.as_ref();
        let frozen = frozen.map(|name| format!("frozen = [{name:?}], "));
        let codes = self.codes.as_ref().map(|file| {
            format!("codes_from = {file:?}, reject = \"Reject\", errors = \"Errors\", ")
        });
        let reads = match self.reads.is_empty() {
            true => String::new(),
            false => format!("reads = [{}]\n", list(&self.reads, &[])),
        };
        let holes = [
            ("{asks}", self.asks.clone()),
            ("{base}", self.base.clone()),
            ("{frozen}", frozen.unwrap_or_default()),
            ("{codes}", codes.unwrap_or_default()),
            ("{tests}", list(&self.tests, &TESTS)),
            ("{reads}", reads),
            ("{counter}", self.counter.clone()),
            ("{builder}", self.builder.clone()),
            ("{proof}", self.proof.clone()),
            ("{passed}", self.passed.clone()),
        ];
        let fill = |text: String, (hole, value): (&str, String)| text.replace(hole, &value);
        holes.into_iter().fold(text.to_owned(), fill)
    }
}

#[cfg(test)]
mod tests {
    use crate::{built_in, built_in_names, load};
    use kernel::StateName;
    use kernel::table::{Guard, Slot};

    #[test]
    fn a_case_is_contested_only_where_one_was_told() {
        let exam = StateName::from("exam");
        let mut examined = Vec::new();
        for name in built_in_names() {
            let workflow = load(&built_in(name).unwrap(), &|_, _| Ok(())).unwrap();
            let ways = &workflow.table.transitions;
            let contests = ways.iter().filter(|way| way.action.as_str() == "contest");
            for way in contests {
                examined.push(name);
                let guards = [Guard::Requested, Guard::ReturnIs(exam.clone())];
                assert_eq!(way.when, guards, "{name}");
            }
            for way in ways {
                let told = match &way.slot {
                    Slot::Save(state) => *state == exam,
                    Slot::SaveFrom => way.from.contains(&exam),
                    Slot::Keep | Slot::Clear => false,
                };
                let from = |state: &StateName| [&exam, &"contested".into()].contains(&state);
                // Whoever could only come with it takes it along.
                let before = way.when.contains(&Guard::ReturnIs(exam.clone()));
                let kept = before || way.from.iter().all(from);
                assert!(!told || kept, "{name}: {}", way.action);
            }
        }
        assert_eq!(examined, ["add", "lights-out", "phase", "quick", "slice"]);
    }
}
