//! Lines of TLA+: names, sets, and actions as lists of conjuncts. It knows no rule of ours.

use crate::ids::CounterName;
use crate::table::{State, Table};
use std::collections::BTreeMap;

/// A TLA+ string.
pub(super) fn quoted(name: impl std::fmt::Display) -> String {
    let name = name.to_string();
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

pub(super) fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = names.into_iter().map(quoted).collect();
    format!("{{{}}}", all.join(", "))
}

/// A TLA+ identifier that is not in `taken` yet.
pub(super) fn identifier(prefix: &str, name: &str, taken: &[String]) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let base = format!("{prefix}_{safe}");
    let numbered = (2u32..).map(|serial| format!("{base}_{serial}"));
    std::iter::once(base.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or(base)
}

pub(super) struct Writer<'a> {
    pub(super) table: &'a Table,
    pub(super) text: String,
    /// Each counter's variable and cap.
    pub(super) counters: BTreeMap<&'a CounterName, (String, u32)>,
}

impl Writer<'_> {
    pub(super) fn variable(&self, counter: &CounterName) -> &str {
        self.counters
            .get(counter)
            .map_or("unknown_counter", |(name, _)| name)
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn states(&self, keep: impl Fn(&State) -> bool) -> String {
        let names = self.table.states.iter();
        set(names
            .filter(|(_, state)| keep(state))
            .map(|(name, _)| name.as_str()))
    }

    pub(super) fn all_variables(&self) -> Vec<String> {
        let fixed = [
            "state", "slot", "passes", "hold", "autonomy", "pace", "risk", "stopped",
        ];
        let fixed = fixed.iter().map(|name| (*name).to_owned());
        fixed
            .chain(self.counters.values().map(|(name, _)| name.clone()))
            .collect()
    }

    pub(super) fn unchanged_but(&self, changed: &[&str]) -> String {
        let rest: Vec<String> = self
            .all_variables()
            .into_iter()
            .filter(|name| !changed.contains(&name.as_str()))
            .collect();
        format!("UNCHANGED <<{}>>", rest.join(", "))
    }

    pub(super) fn action(&mut self, name: &str, parts: &[String]) {
        self.line(&format!("{name} =="));
        for part in parts {
            self.line(&format!("    /\\ {part}"));
        }
        self.line("");
    }

    pub(super) fn held(&mut self, name: &str, holds: &[&str], parts: &[String]) {
        let mut all = vec![
            "~Over".to_owned(),
            format!("hold \\in {}", set(holds.iter().copied())),
        ];
        all.extend(parts.iter().cloned());
        self.action(name, &all);
    }
}

pub(super) fn any_of(w: &mut Writer<'_>, name: &str, actions: &[String]) {
    w.line(&format!("{name} =="));
    if actions.is_empty() {
        w.line("    FALSE");
    }
    for action in actions {
        w.line(&format!("    \\/ {action}"));
    }
    w.line("");
}
