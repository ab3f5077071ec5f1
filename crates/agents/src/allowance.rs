//! What an attempt may spend, held against what it has spent: one judgement for our own tool loop
//! and for coding agents. An attempt's reason never says how much there was: the next brief repeats
//! the reason, and an agent that sees a budget stops early.

use kernel::effect::Allowance;
use kernel::outcome::Usage;

/// The reason of an attempt that was stopped by its allowance, whoever worked it.
pub(crate) const STOPPED: &str = "stopped by Proofhouse before its next call";

/// What is used up, if anything is: then no further call may follow.
pub(crate) fn used_up(allowed: Allowance, spent: Usage) -> Option<&'static str> {
    let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
    if spent.micro_dollars >= allowed.micro_dollars {
        Some("money")
    } else if tokens >= allowed.tokens {
        Some("tokens")
    } else {
        None
    }
}
