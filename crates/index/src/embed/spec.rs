//! Which embedder a text means. Where an endpoint is and where its key lies come from the user's
//! settings, never from the index: an index is a file that others may have made, and must not be
//! able to send a key somewhere.

use super::{BuiltIn, Embedder, Endpoint, SentenceModel, Settings};
use crate::error::IndexError;
use std::path::Path;

/// Opens `built-in`, `folder:DIR`, `openai:MODEL` or `openai:MODEL@DIMENSIONS`.
pub fn open(spec: &str, settings: &Settings) -> Result<Box<dyn Embedder>, IndexError> {
    let wrong = |why: &str| IndexError::BadEmbedder {
        text: spec.to_owned(),
        why: why.to_owned(),
    };
    if spec == "built-in" {
        return Ok(Box::new(BuiltIn));
    }
    if let Some(folder) = spec.strip_prefix("folder:") {
        if folder.is_empty() {
            return Err(wrong("there is no folder after folder:"));
        }
        return Ok(Box::new(SentenceModel::open(Path::new(folder))?));
    }
    if let Some(rest) = spec.strip_prefix("openai:") {
        let (model, dimensions) = match rest.rsplit_once('@') {
            Some((model, number)) => {
                let number = number
                    .parse()
                    .map_err(|_| wrong("after @ comes a number of dimensions"))?;
                (model, Some(number))
            }
            None => (rest, None),
        };
        if model.is_empty() {
            return Err(wrong("there is no model after openai:"));
        }
        return Ok(Box::new(Endpoint::open(model, dimensions, settings)?));
    }
    Err(wrong("there is no such kind"))
}
