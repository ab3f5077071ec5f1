//! Workflows written as data, and the one machine that runs them.
//!
//! A workflow is a folder: `workflow.toml`, briefs, and the files of a new task. Adding one needs
//! no Rust. This crate reads no files itself: it is handed the folder's texts ([`Source`]).

mod brief;
mod built_in;
mod document;
mod error;
mod load;
mod machine;
mod mentions;
mod raw;
mod snapshot;
mod verdict;
mod workflow;

pub use brief::{ASKED, OUTPUT};
pub use built_in::{built_in, built_in_names, built_in_with};
pub use document::{FieldError, field_key, parse_fields, replace_fields};
pub use error::{LoadError, Problem};
pub use load::{CheckLint, Source, load, load_begun};
pub use machine::{Flow, PostMortem};
pub use snapshot::{LOOK_INTO, Risk, SnapshotSpec};
pub use workflow::{
    Capability, Checkpoints, Each, Fact, Field, Judged, Leaving, Owner, Paper, Question, Role,
    Sessions, StateDef, Task, Workflow, labelled,
};
