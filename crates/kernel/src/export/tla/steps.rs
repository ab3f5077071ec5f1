//! Steps that no transition of the table makes: what the engine does by itself, and what people
//! answer to a hold.

use super::writer::Writer;
use crate::position::PASSES;
use crate::table::{Kind, Stalling};

pub(super) fn engine_steps(w: &mut Writer<'_>) -> Vec<String> {
    let keep = w.unchanged_but(&["passes", "hold"]);
    w.action(
        "Again",
        &[
            "Active".to_owned(),
            "passes' = passes + 1".to_owned(),
            "hold' = (IF passes + 1 >= PassCap(state) THEN \"budget passes\" ELSE \"none\")"
                .to_owned(),
            keep,
        ],
    );
    let mut names = vec!["Again".to_owned()];
    let mut raise = |w: &mut Writer<'_>, name: &str, hold: &str, states: &str| {
        let parts = [
            "Active".to_owned(),
            format!("state \\in {states}"),
            format!("hold' = \"{hold}\""),
            w.unchanged_but(&["hold"]),
        ];
        w.action(name, &parts);
        names.push(name.to_owned());
    };
    if w.table.stalling == Stalling::Halts {
        raise(w, "Stall", "stall", "WorkStates");
    }
    raise(w, "Exhaust", "budget run", "ActiveStates");
    raise(w, "Trouble", "trouble", "ActiveStates");
    names
}

pub(super) fn answers(w: &mut Writer<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let clear = "hold' = \"none\"".to_owned();
    let keep = w.unchanged_but(&["hold"]);
    w.held(
        "Continue",
        &["step", "stall"],
        &[clear.clone(), keep.clone()],
    );
    w.held("Retry", &["trouble"], &[clear.clone(), keep.clone()]);
    w.held("ExtendRun", &["budget run"], &[clear.clone(), keep.clone()]);
    let passes = format!("budget {PASSES}");
    let keep_passes = w.unchanged_but(&["hold", "passes"]);
    w.held(
        "ExtendPasses",
        &[&passes],
        &[clear.clone(), "passes' = 0".to_owned(), keep_passes],
    );
    let lowered = w.unchanged_but(&["hold", "autonomy"]);
    let lower = "autonomy' = \"conservative\"".to_owned();
    w.held("Lower", &["risk"], &[clear.clone(), lower.clone(), lowered]);
    let waits = w.states(|state| state.kind == Kind::Wait);
    let asked = [
        "~Over".to_owned(),
        "hold = \"none\"".to_owned(),
        format!("state \\in {waits}"),
        "autonomy = \"auto\"".to_owned(),
        lower,
        w.unchanged_but(&["autonomy"]),
    ];
    w.action("LowerWhereAsked", &asked);
    let fixed = ["Continue", "Retry", "ExtendRun", "ExtendPasses"];
    for name in fixed.into_iter().chain(["Lower", "LowerWhereAsked"]) {
        names.push(name.to_owned());
    }
    for counter in w.table.counters.keys() {
        let variable = w.variable(counter).to_owned();
        let name = format!("Extend_{variable}");
        let keep = w.unchanged_but(&["hold", &variable]);
        let hold = format!("budget {counter}");
        w.held(
            &name,
            &[&hold],
            &[clear.clone(), format!("{variable}' = 0"), keep],
        );
        names.push(name);
    }
    let approvals: Vec<(String, String)> = w
        .approvals()
        .into_iter()
        .map(|(hold, (to, ways))| (hold, w.approve(&to, &ways)))
        .collect();
    for (serial, (hold, body)) in approvals.into_iter().enumerate() {
        let approve = format!("Approve_{}", serial + 1);
        w.held(&approve, &[&hold], &[body]);
        let reject = format!("Reject_{}", serial + 1);
        w.held(&reject, &[&hold], &[clear.clone(), keep.clone()]);
        names.extend([approve, reject]);
    }
    names
}
