//! The factory's machine in the real world: roles on agents, ships on the toolchain, the state store
//! of rule F7 below `.proofhouse/`.
//!
//! What happens next is decided by the machine in crate `factory`. What is here performs its effects and
//! writes down what it says.

mod adapter;
mod amended;
mod assembled;
mod constants;
mod debated;
mod decide;
mod elsewhere;
mod exam;
mod fix;
mod found;
pub mod founded;
mod gate;
pub mod indexed;
mod module_error;
mod modules;
mod opening;
pub mod page;
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
mod stubs;
mod suite;
mod superseding;
mod surface;
mod task_files;
mod tested;
mod tools;
mod views;

pub use assembled::{Exported, branch_faults, branch_name, export, release_commit};
pub(crate) use decide::{decide, decide_message};
pub use page::page;
pub use product::{
    New, Said, Specified, Spoken, Stands, approval_of, as_left, new, review, speak, spoken_message,
};
pub use resolve::{Asked, blank, escalated, message, resolve};
pub use session::{Driving, drive};
pub use start::{Begin, Begun, missing, start};
pub use task_files::json_of as spec_json;
pub use views::standing_faults;
