//! The project loop's state machine (rule F4.2): tasks, their dependencies, who is next.
//!
//! It does not know why a task shipped or halted; engineering and people say that.

pub mod declare;
pub mod graph;
pub mod moves;
pub mod project_state;
pub mod status;
pub mod types;
pub mod view;

pub use declare::Declared;
pub use graph::{Task, TaskGraph};
pub use project_state::ProjectState;
pub use status::TaskStatus;
pub use types::{EscalationId, ExceptionId, ModuleId, ModuleRef, TaskId, Version, mint};
