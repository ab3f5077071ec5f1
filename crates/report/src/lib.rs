//! The read model: one type for each thing that people look at, made of journals and of nothing else.
//! Text, JSON and pages are all written from these types.
//!
//! It refuses to decide, to judge and to write anything but views: the journal is the truth.

pub mod address;
pub mod attempt;
pub mod back;
pub mod begun;
pub mod caught;
pub mod change;
pub mod compare;
pub mod course;
pub mod criterion;
pub mod debate;
pub mod due;
pub mod evidence;
pub mod exam;
mod excerpt;
pub mod facts;
pub mod fate;
pub mod file_change;
pub mod follow;
pub mod gate;
pub mod graph;
pub mod grounds;
pub mod history;
pub mod inbox;
pub mod kept;
pub mod landed;
pub mod learnt;
pub mod look;
pub mod met;
pub mod module;
pub mod now;
pub mod page;
pub mod paper;
pub mod posed;
pub mod project;
pub mod proof;
pub mod question;
pub mod reading;
pub mod repeats;
pub mod replay;
pub mod review;
pub mod reviewed;
pub mod row;
pub mod run;
pub mod searched;
pub mod settled;
pub mod spend;
pub mod stat;
pub mod story;
pub mod task;
pub mod timeline;
pub mod told_case;
pub mod trace;
pub mod transcript;
pub mod unasked;
pub mod unlanded;
pub mod views;
pub mod wave;
pub mod work;
pub mod worth;

pub use history::{History, history};
pub use look::{Looked, Peek, look};
pub use repeats::Repeats;
