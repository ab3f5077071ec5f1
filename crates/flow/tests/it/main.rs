//! Flow as its users see it: what a workflow file may say, and what a run of it does.

#![allow(clippy::unwrap_used, clippy::wrong_self_convention)]

mod add;
mod aside;
mod export;
mod faults;
mod folders;
mod objections;
mod phase;
mod questions;
mod repairs;
mod sessions;
mod tlc;
mod ways;

use flow::{Source, Workflow, built_in, load};
use std::sync::Arc;

/// Loads a built-in workflow; any check is taken for known, because flow knows none.
fn workflow(name: &str) -> Arc<Workflow> {
    let source = built_in(name).expect("a built-in workflow");
    Arc::new(load(&source, &|_, _| Ok(())).unwrap_or_else(|error| panic!("{error}")))
}

fn source(toml: &str) -> Source {
    let files = [("workflow.toml", toml), ("b.md", "Do it.")];
    Source {
        name: "t".to_owned(),
        files: files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect(),
    }
}
