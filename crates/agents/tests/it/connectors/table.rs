//! The table: connector by scenario. It refuses empty cells: each has what must come of it, or the
//! reason for which there is nothing to try.

use super::Scenario;
use serde::Deserialize;
use std::collections::BTreeMap;

const TEXT: &str = include_str!("../../data/connectors.toml");

/// What must come of one scenario.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cell {
    pub(crate) class: String,
    /// A part of the reason.
    #[serde(default)]
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) input: u64,
    #[serde(default)]
    pub(crate) output: u64,
    #[serde(default)]
    pub(crate) micro_dollars: u64,
    /// Seconds that the provider asked for, where the connector hears of it.
    #[serde(default)]
    pub(crate) retry_after: Option<u64>,
    #[serde(default)]
    pub(crate) counted: Counted,
    /// What comes of it where the real agent's patience ends before ours: it has a limit of its own,
    /// and which of the two is first is a matter of the machine's load.
    #[serde(default)]
    pub(crate) gives_up: Option<Box<Cell>>,
}

/// Who counted what was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Counted {
    #[default]
    Exactly,
    /// We, by size: the cell's numbers must be exceeded.
    Estimated,
}

/// One cell as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Entry {
    /// Why there is nothing to try.
    Not {
        not: String,
    },
    Cell(Cell),
}

pub(crate) type Table = BTreeMap<String, BTreeMap<String, Entry>>;

pub(crate) fn table() -> Table {
    toml::from_str(TEXT).expect("the table")
}

#[test]
fn every_connector_has_every_cell_and_each_is_tried_or_has_its_reason() {
    let table = table();
    let rows: Vec<&String> = table.keys().collect();
    // A new connector has no row, and the test says so.
    let mut known: Vec<String> = agents::names().map(str::to_owned).collect();
    known.sort();
    known.dedup();
    assert_eq!(rows, known.iter().collect::<Vec<_>>());
    let mut columns: Vec<&str> = Scenario::ALL.iter().map(|one| one.name()).collect();
    columns.sort_unstable();
    for (name, row) in &table {
        let played = format!("{}_meets_every_scenario", name.replace('-', "_"));
        assert!(
            include_str!("cast.rs").contains(&played),
            "nobody plays {name}"
        );
        let found: Vec<&str> = row.keys().map(String::as_str).collect();
        assert_eq!(found, columns, "{name}");
        for (column, entry) in row {
            match entry {
                Entry::Not { not } => assert!(not.len() > 20, "{name} x {column}: why not?"),
                Entry::Cell(cell) => {
                    let class: Result<kernel::Class, _> =
                        serde_json::from_value(cell.class.clone().into());
                    assert!(class.is_ok(), "{name} x {column}: {}", cell.class);
                }
            }
        }
    }
}

/// Another way to fail, never a way to pass: and only where an agent waits.
#[test]
fn giving_up_is_a_failure_of_its_own() {
    for (name, row) in table() {
        for (scenario, entry) in row {
            let Entry::Cell(cell) = entry else { continue };
            let Some(gives_up) = &cell.gives_up else {
                continue;
            };
            assert_eq!(
                (scenario.as_str(), cell.class.as_str()),
                ("hang", "timed_out"),
                "{name}"
            );
            assert_eq!(gives_up.class, "transient", "{name}");
            assert!(
                !gives_up.says.is_empty() && gives_up.gives_up.is_none(),
                "{name}"
            );
        }
    }
}
