//! A tool that a workflow adds: a fixed program, whose arguments a model may fill in.
//!
//! No shell stands between: what the model writes is one argument, or a part of one, whatever it
//! holds. No value becomes the program, and the attempt's policy holds it.

use super::run;
use super::tool::{Place, Tool, spec, text};
use crate::wire::ToolSpec;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A command with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTool {
    /// Its name: letters, digits and underscores.
    pub name: String,
    /// What it does, for the model.
    pub about: String,
    /// The program and its arguments; `{NAME}` is a parameter's place.
    pub command: Vec<String>,
    /// The parameters, each with a sentence for the model. All are texts, all are required.
    pub parameters: BTreeMap<String, String>,
    /// How long one call may take.
    pub wall: Duration,
}

impl Tool for CommandTool {
    fn spec(&self) -> ToolSpec {
        let property = |(name, about): (&String, &String)| {
            let schema = json!({ "type": "string", "description": about });
            (name.clone(), schema)
        };
        let properties: Map<String, Value> = self.parameters.iter().map(property).collect();
        let required: Vec<&str> = self.parameters.keys().map(String::as_str).collect();
        spec(
            &self.name,
            &self.about,
            Value::Object(properties),
            &required,
        )
    }

    fn call(&self, arguments: &Value, place: &Place<'_>) -> Result<String, String> {
        run::command(self.argv(arguments)?, self.wall, place)
    }
}

impl CommandTool {
    fn argv(&self, arguments: &Value) -> Result<Vec<String>, String> {
        let mut values = BTreeMap::new();
        for name in self.parameters.keys() {
            let value = text(arguments, name)?;
            if value.contains('\0') {
                return Err(format!("`{name}` holds a zero byte; leave it out"));
            }
            values.insert(name.as_str(), value);
        }
        let unknown = arguments.as_object().and_then(|object| {
            object
                .keys()
                .find(|name| !values.contains_key(name.as_str()))
        });
        if let Some(unknown) = unknown {
            return Err(format!("`{}` has no parameter `{unknown}`", self.name));
        }
        let mut words = self.command.iter();
        let program = words.next().cloned();
        Ok(program
            .into_iter()
            .chain(words.map(|word| fill(word, &values)))
            .collect())
    }
}

/// Fills the holes of one word, in one pass: braces in a value are only text.
fn fill(word: &str, values: &BTreeMap<&str, &str>) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after
            .split_once('}')
            .and_then(|(name, after)| Some((values.get(name)?, after)))
        {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> CommandTool {
        let word = str::to_owned;
        CommandTool {
            name: word("find"),
            about: word("Finds."),
            command: ["grep", "--", "{what}", "src/{file}.rs"].map(word).to_vec(),
            parameters: BTreeMap::from([
                (word("what"), word("a word")),
                (word("file"), word("a file")),
            ]),
            wall: Duration::from_secs(1),
        }
    }

    #[test]
    fn a_value_is_one_argument_whatever_it_holds() {
        let argv = tool().argv(&json!({ "what": "a; rm -rf $HOME {file}", "file": "lib" }));
        assert_eq!(
            argv.unwrap(),
            ["grep", "--", "a; rm -rf $HOME {file}", "src/lib.rs"]
        );
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arguments, says) in [
            (json!({ "what": "x" }), "`file` is missing"),
            (json!({ "what": 7, "file": "x" }), "is not a string"),
            (
                json!({ "what": "x", "file": "y", "z": "" }),
                "no parameter `z`",
            ),
            (json!({ "what": "\0", "file": "y" }), "zero byte"),
        ] {
            let error = tool().argv(&arguments).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
