//! What the model checker is to hold against the module.

use super::writer::{Writer, set};
use crate::ids::StateName;
use crate::table::Target;
use std::fmt::Write;

/// The model checker's configuration for [`tla`].
pub fn tla_config() -> String {
    let mut text = String::from("SPECIFICATION Spec\nINVARIANTS\n");
    for invariant in INVARIANTS {
        let _ = writeln!(text, "    {invariant}");
    }
    text.push_str("PROPERTIES\n    HighRiskGuarded\n");
    text
}

const INVARIANTS: [&str; 5] = [
    "TypeOK",
    "CountersBounded",
    "ReturnKnown",
    "EndsAreQuiet",
    "WayOut",
];

pub(super) fn invariants(w: &mut Writer<'_>) {
    w.line("TypeOK ==");
    w.line("    /\\ state \\in States\n    /\\ slot \\in States \\cup {\"none\"}\n    /\\ hold \\in Holds");
    w.line(
        "    /\\ passes \\in Nat\n    /\\ autonomy \\in {\"manual\", \"conservative\", \"auto\"}",
    );
    w.line(
        "    /\\ pace \\in {\"flowing\", \"stepped\"}\n    /\\ risk \\in {\"normal\", \"high\"}",
    );
    w.line("    /\\ stopped \\in BOOLEAN");
    for (name, _) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} \\in Nat"));
    }
    w.line("\n\\* No loop runs past its budget.\nCountersBounded ==");
    w.line("    /\\ passes <= PassCap(state)");
    for (name, cap) in w.counters.clone().into_values() {
        w.line(&format!("    /\\ {name} <= {cap}"));
    }
    let only_return = |name: &StateName| {
        let mut leaving = w.table.leaving(name).peekable();
        leaving.peek().is_some() && leaving.all(|(_, way)| way.to == Target::Return)
    };
    let returning: Vec<&str> = w
        .table
        .states
        .keys()
        .filter(|name| only_return(name))
        .map(StateName::as_str)
        .collect();
    w.line("\n\\* Where a run can only return, it knows where to.");
    w.line(&format!(
        "ReturnKnown == state \\in {} => slot # \"none\"",
        set(returning)
    ));
    w.line("\nEndsAreQuiet == state \\in Ends => hold = \"none\"");
    w.line(
        "\n\\* `unguarded_high_risk_auto`: a high-risk run under auto never completes by itself.",
    );
    w.line("Completes == state' # state /\\ state' \\in Completing");
    w.line(
        "HighRiskGuarded == [][(autonomy = \"auto\" /\\ risk = \"high\" /\\ Completes) => ByPerson]_vars",
    );
    w.line("\n\\* Nothing but an end is without a way on.\nWayOut == Over \\/ ENABLED Onward\n");
}
