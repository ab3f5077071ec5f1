//! `globs`: fields name files of the repository, and not all of it. It refuses an open scope: what
//! may touch everything is bounded by nothing. It refuses a list that is half in backticks, too: the
//! other half would not be read, and what is not listed is not frozen.

use crate::Subject;
use crate::judge::{Judge, Judged};
use crate::readers::globs::Line;
use crate::settings::{Choice, Texts, Words};
use crate::text::first_few;
use globset::Glob;
use kernel::pattern::{Named, not_a_list, stays_inside, taken_out, words};
use schemars::JsonSchema;
use serde::Deserialize;

/// Fields name globs of files in the repository, and none that matches everything.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Globs {
    /// The fields, each with globs.
    fields: Texts,
    /// `list` (the default), or `sentence`: prose with globs in backticks.
    form: Option<Choice<Form>>,
}

/// How the fields hold their globs. Both are read alike; what may stand beside them differs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Globs and nothing else, all in backticks or none.
    List,
    /// Prose, with the globs in backticks.
    Sentence,
}

/// Files that no scope names one by one. A glob that matches all of them matches everything.
const ANYTHING: [&str; 3] = ["a", "b/c.d", ".e/f/g"];

impl Words for Form {
    const WORDS: &'static [(&'static str, Self)] =
        &[("list", Self::List), ("sentence", Self::Sentence)];
}

impl Judge for Globs {
    const NAME: &'static str = "globs";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let mut wrong = Vec::new();
        let (mut inside, mut outside) = (0, 0);
        let form = self.form.map_or(Form::List, |form| *form);
        for field in self.fields.iter() {
            let text = subject.fields.get(field).map_or("", String::as_str);
            wrong.extend(faults(field, text, form));
            let named = Named::of(text);
            inside += named.inside.len();
            outside += named.outside.len();
        }
        match (wrong.is_empty(), outside) {
            (true, 0) => Ok(format!("{inside} globs")),
            (true, _) => Ok(format!("{inside} globs, {outside} taken out")),
            (false, _) => Err(first_few(&wrong, 5).into()),
        }
    }
}

fn faults(field: &str, text: &str, form: Form) -> Vec<String> {
    let mut wrong = Vec::new();
    let (read, how) = match form {
        Form::List => (words(text), "with commas between them"),
        // Without backticks every word of the prose would be one.
        Form::Sentence if !text.contains('`') => (Vec::new(), "in backticks"),
        Form::Sentence => (words(text), "in backticks"),
    };
    if form == Form::List
        && let Some(why) = not_a_list(text)
    {
        wrong.push(format!("`{field}` is no list: {why}"));
    } else if read.iter().all(|word| taken_out(word).is_some()) {
        wrong.push(format!(
            "`{field}` names no glob; write some such as `src/**`, {how}"
        ));
    }
    for word in read {
        let glob = taken_out(word).unwrap_or(word);
        let at = format!("`{glob}` in `{field}`");
        if !stays_inside(glob) {
            wrong.push(format!("{at} leads out of the repository"));
            continue;
        }
        match Glob::new(glob).map(|glob| glob.compile_matcher()) {
            Err(error) => wrong.push(format!("{at} is no glob: {}", error.kind())),
            Ok(glob) if ANYTHING.iter().all(|path| glob.is_match(path)) => {
                wrong.push(format!("{at} matches everything"));
            }
            Ok(_) => {}
        }
    }
    // Each by itself has an end, and all of them together have none.
    let open = |path: &&str| Line::of(text).is_ok_and(|line| line.inside.is_match(path));
    if wrong.is_empty() && ANYTHING.iter().all(open) {
        wrong.push(format!("the globs in `{field}` together match everything"));
    }
    wrong
}
