//! The read model: one type for each thing that people look at, made of journals and of nothing else.
//! Text, JSON and pages are all written from these types.
//!
//! It refuses to decide, to judge and to write anything but views: the journal is the truth.

pub mod address;
pub mod attempt;
pub mod evidence;
pub mod facts;
pub mod gate;
pub mod history;
pub mod inbox;
pub mod look;
pub mod page;
pub mod project;
pub mod question;
pub mod run;
pub mod spend;
pub mod story;
pub mod timeline;
pub mod views;

pub use history::{History, history};
pub use look::{Looked, Peek, look};
