//! `sections`: a Markdown file has the named headings, and what stands under each says something
//! (`documents/src/substance.rs`). It refuses headings inside code. It can ask for words and for a drawing in
//! them, and it cannot tell whether those are true.

use crate::Subject;
use crate::judge::Judge;
use crate::readers::paths;
use crate::readers::substance::{form_of, nothing_new};
use crate::settings::{Number, Placed, SettingsError, Texts};
use crate::text::{answer, first_few};
use documents::markdown;
use documents::substance::{Nothing, alike, none_alone, nothing, stands_in, without_references};
use kernel::outcome::{CheckResult, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

/// A Markdown file has the named headings, each with real content.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Sections {
    /// `task/...` or `repo/...`.
    file: Placed,
    /// Headings of any level, in any case.
    headings: Texts,
    /// Those of the headings under which `none` alone may stand; all of them.
    #[serde(default)]
    may_be_none: Texts,
    /// Words of which each stands in each section, in any case; `a|b` is either.
    #[serde(default)]
    mentions: Texts,
    /// How many lines a fenced block in each section has at least.
    drawing: Option<Number<1, 1_000>>,
}

impl Judge for Sections {
    const NAME: &'static str = "sections";
    type Answer = CheckResult;

    fn lint(&self) -> Result<(), SettingsError> {
        match self
            .may_be_none
            .iter()
            .all(|one| self.headings.contains(one))
        {
            true => Ok(()),
            false => Self::refuse("has a heading in `may_be_none` that is not in `headings`"),
        }
    }

    fn judge(&self, subject: &Subject<'_>) -> CheckResult {
        let name = format!("{}: {}", Self::NAME, self.file);
        let text = match paths::read(subject.place, &self.file) {
            Ok(text) => text,
            Err(why) => {
                let reason = format!("{} {why}", self.file);
                return answer(&name, Verdict::Fail, &reason);
            }
        };
        let mut wrong = Vec::new();
        let mut said: Vec<(&str, String)> = Vec::new();
        for heading in self.headings.iter() {
            let found = markdown::sections(&text, heading);
            if found.is_empty() {
                wrong.push(format!("`{heading}` is missing"));
                continue;
            }
            let content: String = found
                .iter()
                .map(|section| section.content.clone() + "\n")
                .collect();
            let form = form_of(subject, &self.file, heading);
            let listed = self.may_be_none.is_empty() || self.may_be_none.contains(heading);
            let bare = (!listed).then(|| none_alone(&content)).flatten();
            match nothing_new(subject, &content, heading, &form).or(bare) {
                Some(why) if why.is_blank() => {
                    wrong.push(format!("`{heading}` has no real content"));
                }
                Some(why) => wrong.push(format!("`{heading}` {why}")),
                None if names_itself(&content, heading) => {
                    wrong.push(format!("`{heading}` {}", Nothing::Name));
                }
                None => wrong.extend(self.lacks(heading, &found)),
            }
            said.push((heading, without_references(&content)));
        }
        // A section inside of another one stands in both, and is written once.
        let whole = without_references(&markdown::whole(&text).content);
        let written_twice = |said: &&(&str, String)| stands_in(&whole, &said.1) > 1;
        let twice = said.iter().filter(written_twice);
        wrong.extend(alike(
            twice.map(|(heading, said)| (*heading, said.as_str())),
        ));
        let (verdict, reason) = if wrong.is_empty() {
            let count = self.headings.len();
            (
                Verdict::Pass,
                if count == 1 {
                    "the section has content".to_owned()
                } else {
                    format!("all {count} sections have content")
                },
            )
        } else {
            (Verdict::Fail, first_few(&wrong, wrong.len()))
        };
        answer(&name, verdict, &reason)
    }
}

/// Does it say nothing but its own name, beside what it points to?
fn names_itself(content: &str, heading: &str) -> bool {
    nothing(&without_references(content), heading) == Some(Nothing::Name)
}

impl Sections {
    /// What the sections under a heading do not hold.
    fn lacks(&self, heading: &str, found: &[markdown::Section]) -> Vec<String> {
        let content: String = found
            .iter()
            .map(|section| section.content.to_lowercase() + "\n")
            .collect();
        let says = |words: &str| {
            let mut either = words.split('|').map(str::trim);
            either.any(|word| content.contains(&word.to_lowercase()))
        };
        let missing = self.mentions.iter().filter(|words| !says(words));
        let mut lacks: Vec<String> = missing
            .map(|words| {
                format!(
                    "`{heading}` does not mention {}",
                    words.replace('|', " or ")
                )
            })
            .collect();
        let blocks = found.iter().flat_map(|section| &section.code);
        let drawn =
            blocks.map(|block| block.lines().filter(|line| !line.trim().is_empty()).count());
        if let Some(lines) = self.drawing.map(Number::count)
            && drawn.max().unwrap_or(0) < lines
        {
            lacks.push(format!(
                "`{heading}` has no drawing: a fenced block of at least {lines} lines"
            ));
        }
        lacks
    }
}
