//! What the loop itself says to the model. The brief says the rest.

use crate::agent::Order;
use kernel::effect::{Access, Capability};

/// Said when an answer hit the output limit.
pub(super) const CUT_OFF: &str = "Your message was cut off at the output limit. Go on with a shorter message: put long text into files.";

/// The task of the model that summarises.
pub(super) const SUMMARISE: &str = "You are given the older part of a coding agent's work, as text. \
     Summarise it for the agent that goes on with it: what was asked, what was done and found out (files, \
     commands and their outcome), what failed, what is left to do. Facts only, no advice. Be short.";

/// The loop's own rules.
pub(super) fn system(order: &Order) -> String {
    let repo = match order.access {
        Access::Edit => "You may read and change it.",
        Access::ReadOnly => {
            "You may read it; you may not change it, and a change fails the attempt."
        }
    };
    let commands = match order.can.contains(&Capability::Execute) {
        true => "; commands run inside `repo/` (`src/lib.rs`)",
        false => "",
    };
    format!(
        "You are the {role} of one step in a gated workflow. You work with tools in a folder that holds all \
         that you may see:\n\
         - `repo/` is the repository. {repo}\n\
         - `task/` holds the task's own files. You may write there.\n\
         Paths of the file tools start at that folder (`repo/src/lib.rs`){commands}. Nothing else is reachable. Long outputs are parked in files below `parked/`, which \
         you can read.\n\n\
         Nobody answers questions while you work. Whether the work is good is checked by programs that you \
         do not control: never claim what you have not run. When you are done, answer without calling a tool, \
         with one JSON object and nothing else: `summary` (what you did), and `next`, `verdict` (`pass` or \
         `fail`) and `findings` (a list) where the brief asks for them, otherwise null; and whatever else the \
         brief's schema asks for.",
        role = order.role,
    )
}

/// What stands for older turns.
pub(super) fn summary(text: &str, parked: Option<&str>) -> String {
    let place = match parked {
        Some(path) => format!(" The whole of it is in `{path}`."),
        None => String::new(),
    };
    format!("[Your older turns were replaced by this summary, to make room.{place}]\n\n{text}")
}
