//! `delivers`: there is work behind what is called done. The repository is another than the run found
//! it; or, where files of evidence were what was asked for, somebody who may work has made some. It
//! does not judge whether the work is the right one.

use crate::Subject;
use crate::judge::{Judge, Judged, Trouble};
use crate::settings::{Paths, Text};
use crate::text::label;
use schemars::JsonSchema;
use serde::Deserialize;

/// The run has made what the field says: a change of the repository, or evidence.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Delivers {
    /// The field: `change` or `evidence`; without it, a change.
    field: Option<Text>,
    /// Only where the result asks for this state as `next`.
    before: Option<Text>,
    /// Paths in the task folder that are no evidence of their own.
    #[serde(default)]
    except: Paths,
}

impl Judge for Delivers {
    const NAME: &'static str = "delivers";
    type Answer = Judged;

    fn judge(&self, subject: &Subject<'_>) -> Judged {
        let next = subject.result.and_then(|result| result["next"].as_str());
        if let Some(state) = self.before.as_deref()
            && next != Some(state)
        {
            return Ok(format!("`{state}` is not asked for"));
        }
        let Some(field) = self.field.as_deref() else {
            return self.change(subject);
        };
        let wanted = subject.fields.get(field).map_or("", |value| value.trim());
        match wanted {
            "change" => self.change(subject),
            "evidence" => self.evidence(subject),
            other => {
                let other = label(other);
                Err(format!("`{field}` is `{other}`, not one of change, evidence").into())
            }
        }
    }
}

impl Delivers {
    fn change(&self, subject: &Subject<'_>) -> Judged {
        let Some(begun) = subject.known.get("tree begun").and_then(|one| one.first()) else {
            let why = "nobody has worked in this run yet".to_owned();
            return Err(Trouble::CouldNotRun(why));
        };
        // Where nobody has just worked, the tree is looked at as it is.
        let now = match subject.tree_after {
            "" => subject.tree()?.hash,
            after => after.to_owned(),
        };
        // Who asks may see no code, and then its own tree says nothing of the repository.
        let unchanged = self.before.is_some() && subject.tree()?.hash == *begun;
        if now == *begun || unchanged {
            let why = "the repository is as the run found it, and a change was asked for";
            return Err(why.to_owned().into());
        }
        Ok("the repository is another than the run found it".to_owned())
    }

    fn evidence(&self, subject: &Subject<'_>) -> Judged {
        let made = subject.known.get("made").into_iter().flatten();
        let counts = |path: &&String| {
            let Some(path) = path.strip_prefix("task/") else {
                return false;
            };
            let own = |except: &String| std::path::Path::new(path).starts_with(except);
            !self.except.iter().any(own) && subject.place.task.join(path).is_file()
        };
        match made.filter(counts).count() {
            0 => Err("who builds has left no file of evidence".to_owned().into()),
            1 => Ok("one file of evidence was made".to_owned()),
            count => Ok(format!("{count} files of evidence were made")),
        }
    }
}
