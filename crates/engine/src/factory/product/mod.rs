//! The product loop in the real world (rule F3.2): a person's `SPEC.md` in, a judged spec out, and
//! a person's word about it. What happens next is decided in crate `factory`.

mod begin;
mod carried;
mod judge;
mod research;
mod review;
mod role_files;
mod speak;

pub use begin::{New, Specified, as_left, new};
pub use carried::{Stands, approval_of};
pub(super) use judge::judge;
pub use review::review;
pub(super) use role_files::{RoleFiles, restore};
pub use speak::{Said, Spoken, speak, spoken_message};
