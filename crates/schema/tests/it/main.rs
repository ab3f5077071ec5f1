//! The keywords one by one, and what is refused.

mod keywords;
mod refusals;
mod sentences;
