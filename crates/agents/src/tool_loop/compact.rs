//! Making room: older turns become a summary, and their text a file.

use super::space::Space;
use super::{ToolLoop, context, prompt};
use crate::failure::Failure;
use kernel::outcome::Class;
use store::redact::redact;

impl ToolLoop<'_> {
    /// Makes room, or fails the way the provider did.
    pub(super) fn compact_or(&mut self, space: &Space, failure: Failure) -> Result<(), Failure> {
        match self.context.can_shrink() {
            true => self.compact(space),
            false => Err(failure),
        }
    }

    /// Replaces older turns by a summary. The history keeps them whole.
    pub(super) fn compact(&mut self, space: &Space) -> Result<(), Failure> {
        let Some(older) = self.context.older() else {
            return Ok(());
        };
        let text = redact(&context::render(older), self.secrets);
        let parked = space.park("turns", &text);
        let asked = self.model.summarise(&text);
        self.spend(asked.usage);
        let summary = match asked.message {
            Ok(message) => message.text(),
            Err(failure) if failure.class == Class::Overflow => {
                "(too long to be summarised)".to_owned()
            }
            Err(failure) => return Err(failure),
        };
        self.note("older turns were summarised");
        self.context
            .shrink(&prompt::summary(&summary, parked.as_deref()));
        Ok(())
    }
}
