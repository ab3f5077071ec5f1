//! The factory's machine in the real world: roles on agents, ships on the toolchain, the state store
//! of document 002 section 7 below `.proofhouse/`.
//!
//! It refuses to decide: the machine in crate `factory` does. What is here performs its effects and
//! writes down what it says.

mod amended;
mod constants;
mod craft;
mod debated;
mod decide;
mod each;
mod fix;
pub mod indexed;
mod modules;
mod page;
mod product;
pub mod proven;
pub mod records;
mod release;
mod resolve;
mod roles;
mod scratch;
mod session;
mod ship;
mod start;
mod story;
mod stubs;
mod suite;
mod superseding;
mod surface;
mod task_files;
mod tested;
mod tools;
mod views;

pub use decide::{Ask, Resolved, decide, decide_message};
pub use page::{page, place as page_place};
pub use product::{New, Review, Said, Spoken, approval_of, new, review, speak, spoken_message};
pub use resolve::{Asked, escalated, message, resolve};
pub use session::{Driving, Peek, drive, is_project, peek, projects};
pub use start::{Begin, Begun, missing, start};
pub use story::{Line, Mark, Moment, Story};
pub use views::standing_faults;

/// What the journal of a project names in the place of a workflow.
pub const NAME: &str = "factory";
