//! What documents say: sections, tables, lists, ids and choices of Markdown, and whether a text says anything at
//! all. Texts come in: nothing here reads a file, knows a workflow, or judges whether what is said is true.

mod blank;
pub mod choice;
pub mod drawing;
mod error;
pub mod examples;
pub mod idents;
pub mod markdown;
pub mod prescription;
pub mod prose;
pub mod quoted;
pub mod references;
pub mod refusals;
pub mod slug;
pub mod substance;
pub mod table;
pub mod threshold;
mod words;
pub mod written;

pub use blank::{is_placeholder, says_none, without_comments};
pub use error::Error;
