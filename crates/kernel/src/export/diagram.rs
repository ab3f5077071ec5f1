//! Mermaid and Graphviz: pictures for people.

use super::edges;
use crate::ids::StateName;
use crate::table::{Actor, Kind, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// An identifier for each state; names that look alike in Mermaid's alphabet stay apart.
fn ids(table: &Table) -> BTreeMap<&StateName, String> {
    let mut ids: BTreeMap<&StateName, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for name in table.states.keys() {
        let letters = name.as_str().chars();
        let base: String = letters
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let mut id = base.clone();
        let mut serial = 2;
        while !taken.insert(id.clone()) {
            id = format!("{base}_{serial}");
            serial += 1;
        }
        ids.insert(name, id);
    }
    ids
}

/// A Graphviz string.
fn quoted(name: impl std::fmt::Display) -> String {
    let name = name.to_string();
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A Mermaid state diagram.
pub fn mermaid(table: &Table) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    let ids = ids(table);
    for (name, id) in &ids {
        let shown = name.as_str().replace('"', "#quot;");
        let _ = writeln!(text, "    state \"{shown}\" as {id}");
    }
    let _ = writeln!(text, "    [*] --> {}", ids[&table.initial]);
    for edge in edges(table) {
        for from in &edge.from {
            let _ = writeln!(
                text,
                "    {} --> {}: {} ({})",
                ids[from], ids[&edge.to], edge.action, edge.by
            );
        }
    }
    for (name, state) in &table.states {
        if state.kind == Kind::End {
            let _ = writeln!(text, "    {} --> [*]", ids[name]);
        }
    }
    text
}

/// A Graphviz digraph.
pub fn dot(table: &Table) -> String {
    let mut text = format!("digraph {} {{\n    rankdir=LR;\n", quoted(&table.name));
    for (name, state) in &table.states {
        let shape = match state.kind {
            Kind::Work => "box",
            Kind::Gate => "diamond",
            Kind::Wait => "octagon",
            Kind::Rest => "ellipse",
            Kind::End => "doublecircle",
        };
        let _ = writeln!(text, "    {} [shape={shape}];", quoted(name));
    }
    for edge in edges(table) {
        let style = match edge.by {
            Actor::Engine => "solid",
            Actor::Agent => "dashed",
            Actor::Human => "bold",
        };
        for from in &edge.from {
            let _ = writeln!(
                text,
                "    {} -> {} [label={}, style={style}];",
                quoted(from),
                quoted(&edge.to),
                quoted(&edge.action)
            );
        }
    }
    text.push_str("}\n");
    text
}
