//! `audited`: what no command can judge was judged by a role of its own, criterion by criterion, on the
//! work as it is. It refuses an answer that is missing, that says no, that names nothing which shows it, or
//! that was given before the last edit.

use crate::Subject;
use crate::judge::Judge;
use crate::readers::references;
use crate::readers::substance::hollow;
use crate::settings::Text;
use crate::text::{answer, first_few};
use kernel::Word;
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Every criterion that an audit judges is met, as the last audit says.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Audited {
    /// The role that judges.
    role: Text,
    /// The object's key in its result, whose `criteria` are `{id, met, evidence}`.
    key: Text,
    /// The role that edits: what it left must be what was judged.
    editor: Text,
    /// Only where the result asks for this state as `next`.
    before: Option<Text>,
}

impl Judge for Audited {
    const NAME: &'static str = "audited";
    type Answer = CheckResult;

    fn judge(&self, subject: &Subject<'_>) -> CheckResult {
        let next = subject.result.and_then(|result| result["next"].as_str());
        if let Some(state) = self.before.as_deref()
            && next != Some(state)
        {
            let reason = format!("`{state}` is not asked for");
            return answer(Self::NAME, Verdict::Pass, reason);
        }
        match self.met(subject) {
            Ok(reason) => answer(Self::NAME, Verdict::Pass, reason),
            Err(why) => {
                let mut result = answer(Self::NAME, Verdict::Fail, why);
                // No edit can mend it.
                result
                    .shows
                    .insert(Word::new(format!("next-{}", &*self.key)));
                result
            }
        }
    }
}

impl Audited {
    fn met(&self, subject: &Subject<'_>) -> Result<String, String> {
        let ids = subject.known.get("criteria by audit");
        let Some(ids) = ids.filter(|ids| !ids.is_empty()) else {
            return Ok("every criterion has its command".to_owned());
        };
        let names: Vec<&String> = ids.iter().collect();
        let Some(report) = subject.results.get(&*self.role) else {
            let named = first_few(&names, 5);
            return Err(format!(
                "nobody has judged {named}: ask for `{}`",
                &*self.key
            ));
        };
        let edited = subject.results.get(&*self.editor);
        if edited.is_some_and(|edited| edited.tree != report.tree) {
            return Err(format!(
                "the work is another than `{}` has judged: ask for `{}` again",
                &*self.role, &*self.key
            ));
        }
        let answers = report.value[&*self.key]["criteria"].as_array();
        let answers: Vec<&Value> = answers.into_iter().flatten().collect();
        let known = |said: &str| {
            let names = ["evidence", "facts"].iter();
            let mut names = names.filter_map(|kind| subject.known.get(*kind)).flatten();
            names.any(|name| !ids.contains(name) && said.contains(name.as_str()))
        };
        let unmet = |id: &&String| {
            let mut answers = answers.iter();
            let own = answers.find(|one| one["id"].as_str() == Some(id.as_str()));
            let own = own.filter(|one| one["met"].as_bool() == Some(true));
            let said = own.and_then(|one| one["evidence"].as_str());
            let Some(said) = said.filter(|said| hollow(subject, said, "").is_none()) else {
                return Some(id.to_string());
            };
            // What shows it is a place of the work, or evidence that the run has.
            match references::seen(said, subject) {
                Err(why) if !known(said) => Some(format!("{id} (the evidence {why})")),
                _ => None,
            }
        };
        let unmet: Vec<String> = names.iter().copied().filter_map(|id| unmet(&id)).collect();
        if unmet.is_empty() {
            let met = match names.len() {
                1 => "1 criterion is met".to_owned(),
                many => format!("{many} criteria are met"),
            };
            return Ok(format!("{met}, as `{}` says", self.role));
        }
        let unmet = first_few(&unmet, 5);
        Err(format!("not judged as met, with evidence: {unmet}"))
    }
}
