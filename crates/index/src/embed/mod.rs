//! Embedding models, behind one trait: which one is a matter of deployment, not of the index
//! (rule F14.1). Every one is checked against that rule's criteria before its vectors are
//! taken, and vectors of two models never meet.

mod built_in;
pub mod criteria;
mod endpoint;
mod key;
mod sentence;
mod spec;

pub use built_in::BuiltIn;
pub use endpoint::{Endpoint, Settings};
pub use key::KeySource;
pub use sentence::SentenceModel;
pub use spec::open;

use crate::error::IndexError;

/// Turns texts into vectors.
pub trait Embedder {
    /// How a person names it: `built-in`, `folder:DIR`, `openai:MODEL`. No secrets: it is stored.
    fn spec(&self) -> String;
    /// What exactly it is. Vectors may be compared if and only if this is the same.
    fn identity(&self) -> String;
    /// Numbers per vector.
    fn dimensions(&self) -> usize;
    /// The longest text that the model takes at once, in its own tokens; none if it does not say.
    fn tokens(&self) -> Option<usize>;
    /// One vector for each text.
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError>;
}
