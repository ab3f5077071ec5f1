//! Files of tests by their text. Two versions are held against each other: is everything there that was, and
//! does what was added take nothing away? And what of one is only said when a test fails? It runs nothing,
//! and knows no check.

mod additions;
mod asks_less;
mod fixtures;
mod kept;
mod messages;
mod moved;
mod renamed_module;
mod spoken;

pub use additions::weakens;
pub use asks_less::asks_less;
pub use fixtures::fixtures_added;
pub use kept::holds;
pub use messages::without_messages;
pub use moved::{Moved, Tests, moved};
pub use renamed_module::{renamed_modules, with_new_names};
