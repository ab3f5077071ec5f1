//! Two versions of a file of tests, held against each other by their text: is everything there that was, and
//! does what was added take nothing away? It runs nothing, and knows no check.

mod additions;
mod kept;

pub use additions::weakens;
pub use kept::holds;
