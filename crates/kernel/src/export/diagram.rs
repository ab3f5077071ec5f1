//! Mermaid and Graphviz: pictures for people.

use super::edges;
use crate::table::{Actor, Kind, Table};
use std::fmt::Write;

fn id(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// A Mermaid state diagram.
pub fn mermaid(table: &Table) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    for name in table.states.keys() {
        let _ = writeln!(text, "    state \"{name}\" as {}", id(name.as_str()));
    }
    let _ = writeln!(text, "    [*] --> {}", id(table.initial.as_str()));
    for edge in edges(table) {
        for from in &edge.from {
            let _ = writeln!(
                text,
                "    {} --> {}: {} ({})",
                id(from.as_str()),
                id(edge.to.as_str()),
                edge.action,
                edge.by
            );
        }
    }
    for (name, state) in &table.states {
        if state.kind == Kind::End {
            let _ = writeln!(text, "    {} --> [*]", id(name.as_str()));
        }
    }
    text
}

/// A Graphviz digraph.
pub fn dot(table: &Table) -> String {
    let mut text = format!("digraph \"{}\" {{\n    rankdir=LR;\n", table.name);
    for (name, state) in &table.states {
        let shape = match state.kind {
            Kind::Work => "box",
            Kind::Gate => "diamond",
            Kind::Wait => "octagon",
            Kind::Rest => "ellipse",
            Kind::End => "doublecircle",
        };
        let _ = writeln!(text, "    \"{name}\" [shape={shape}];");
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
                "    \"{from}\" -> \"{}\" [label=\"{}\", style={style}];",
                edge.to, edge.action
            );
        }
    }
    text.push_str("}\n");
    text
}
