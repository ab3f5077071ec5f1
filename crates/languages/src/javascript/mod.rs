//! Modules in JavaScript: ES modules, read by a script of ours with the parser that node carries.
//!
//! They name each other by `imports` of the `package.json` above them (`#mm_slug`), so that a product
//! needs no installing.

mod product;

pub use product::product;

use crate::Files;
use serde_json::{Map, Value, json};

/// What [`crate::asked`] runs.
pub const SCRIPT: &str = include_str!("surface.cjs");
/// The file of a product that is run.
pub const MAIN: &str = "main.mjs";

/// The `package.json` of a folder in which modules lie, by what code calls each and where its root is.
pub fn manifest<'m>(modules: impl IntoIterator<Item = (&'m str, String)>) -> String {
    let value = json!({"private": true, "type": "module", "imports": imports(modules)});
    format!("{value:#}\n")
}

fn imports<'m>(modules: impl IntoIterator<Item = (&'m str, String)>) -> Map<String, Value> {
    let modules = modules.into_iter();
    modules
        .map(|(name, root)| (format!("#{name}"), Value::from(format!("./{root}"))))
        .collect()
}

/// As JavaScript writes a text: JSON is a part of it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn written(files: &mut Files, path: &str, text: String) {
    files.insert(path.to_owned(), text);
}
