//! `proofhouse mcp`: speaks with a client until it hangs up.

use super::exit;
use std::path::Path;
use workspace::{EngineError, Project};

pub(crate) fn mcp(project: &Project) -> Result<u8, EngineError> {
    let (input, output) = (std::io::stdin(), std::io::stdout());
    crate::mcp::serve(project, &mut input.lock(), &mut output.lock()).map_err(EngineError::io(
        "speak over",
        Path::new("standard input and output"),
    ))?;
    Ok(exit::OK)
}
