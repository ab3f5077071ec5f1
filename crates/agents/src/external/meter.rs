//! What a coding agent has used while it still works, held against its order's allowance. It makes
//! its own calls, so we cannot refuse one: we stop it as soon as it is known to make another one
//! that nothing is left for.
//!
//! An agent that may be done is not stopped: what was paid for is taken, as from our own tool loop.

use super::dialect::{Heard, Next};
use super::settings::Settings;
use crate::allowance::used_up;
use crate::prices::{Price, Tokens};
use kernel::effect::Allowance;
use kernel::outcome::Usage;
use sandbox::Cancel;

/// The meter of one attempt.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    allowance: Allowance,
    settings: &'a Settings,
    /// Ends the agent, and nothing else.
    stop: Cancel,
    /// What was used up when we stopped it.
    pub(crate) used_up: Option<&'static str>,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(allowance: Allowance, settings: &'a Settings, stop: Cancel) -> Self {
        Self {
            allowance,
            settings,
            stop,
            used_up: None,
        }
    }

    /// Looks at what was heard so far.
    pub(crate) fn look(&mut self, heard: &Heard) {
        if self.used_up.is_some() || heard.end.is_some() || heard.next != Next::Call {
            return;
        }
        let spent = priced(heard.usage, self.settings.price_of(heard.model.as_deref()));
        self.used_up = used_up(self.allowance, spent);
        if self.used_up.is_some() {
            self.stop.cancel();
        }
    }
}

/// With a price, where the agent counts tokens alone.
pub(crate) fn priced(mut usage: Usage, price: Option<Price>) -> Usage {
    if let (0, Some(price)) = (usage.micro_dollars, price) {
        // A sum over many requests does not say how long any of them was.
        let price = Price {
            long: None,
            ..price
        };
        usage.micro_dollars = price.cost(Tokens {
            input: usage.input_tokens,
            cached: usage.cached_tokens,
            written: 0,
            output: usage.output_tokens,
        });
    }
    usage
}
