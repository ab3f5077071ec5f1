//! A button that starts or ends the engine of a run. It answers no question: whoever stops one can let it go on.

use kernel::machine::Activity;
use maud::{Markup, html};

/// What can be done with an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Nobody drives it, and there is work to do.
    GoOn,
    /// An engine is at work.
    Stop,
}

impl What {
    /// What there is to do with one; nothing with a run that waits or is over.
    pub fn of(activity: Activity, driven: bool) -> Option<What> {
        match (driven, activity) {
            (true, _) => Some(What::Stop),
            (false, Activity::Working) => Some(What::GoOn),
            (false, _) => None,
        }
    }
}

/// A button of a page that may act.
#[derive(Debug, Clone, Copy)]
pub struct Act<'a> {
    /// Part of addresses.
    pub repo: &'a str,
    pub run: &'a str,
    pub what: What,
}

pub(super) fn form(act: &Act<'_>) -> Markup {
    let (to, does, means) = match act.what {
        What::GoOn => (
            "/go_on",
            "Let it go on",
            "An engine starts on this machine.",
        ),
        What::Stop => (
            "/stop",
            "Stop the engine",
            "What is in flight is lost; the run can go on later.",
        ),
    };
    html! {
        form.act data-to=(to) data-repo=(act.repo) data-run=(act.run) {
            p { button type="submit" { (does) } " " span.quiet { (means) } }
            p.said role="status" {}
        }
    }
}
