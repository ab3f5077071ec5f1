//! Records that a role wrote down: a JSON list of objects, or the rows of a Markdown table.

use crate::error::Error;
use crate::markdown;
use serde_json::Value;
use std::collections::BTreeMap;

/// One record: column, in small letters, to text.
pub type Record = BTreeMap<String, String>;

/// All records of a file. `columns` are those that each record must have; a column may have other
/// names, separated by `|`.
pub fn records(
    file: &str,
    text: &str,
    section: Option<&str>,
    columns: &[&str],
) -> Result<Vec<Record>, Error> {
    let rows = if file.ends_with(".json") {
        json(text)?
    } else {
        let sections = markdown::chosen(text, section)?;
        let rows = sections.into_iter().flat_map(|section| section.rows);
        rows.map(|row| {
            let columns = row.columns.into_iter().map(|column| column.to_lowercase());
            columns.zip(row.cells).collect()
        })
        .collect()
    };
    rows.into_iter()
        .enumerate()
        .map(|(at, row): (usize, Record)| {
            let mut record = Record::new();
            for column in columns {
                let mut names = column.split('|');
                let found = names.clone().find_map(|name| row.get(name));
                let name = names.next().unwrap_or(column);
                let found = found.ok_or_else(|| format!("row {} has no `{name}`", at + 1))?;
                record.insert(name.to_owned(), found.trim().to_owned());
            }
            Ok(record)
        })
        .collect()
}

fn json(text: &str) -> Result<Vec<Record>, Error> {
    let value: Value = serde_json::from_str(text)?;
    let list = match &value {
        Value::Array(list) => list,
        // `{"findings": [...]}` is a list with a name.
        Value::Object(map) if map.len() == 1 => map
            .values()
            .next()
            .and_then(Value::as_array)
            .ok_or("must be a list of objects")?,
        _ => return Err("must be a list of objects".into()),
    };
    let record = |one: &Value| -> Result<Record, Error> {
        let map = one.as_object().ok_or("must be a list of objects")?;
        let member = |(key, value): (&String, &Value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (key.to_lowercase(), text)
        };
        Ok(map.iter().map(member).collect())
    };
    list.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let columns = ["id", "expect|expected observation"];
        let table = "# A\n| Id | Expected observation | More |\n|---|---|---|\n| X-1 | `a b` | |\n";
        let listed = "{\"proofs\": [{\"id\": \"X-1\", \"expect\": \"a b\"}]}";
        let from_table = records("a.md", table, Some("A"), &columns).unwrap();
        assert_eq!(
            from_table,
            records("a.json", listed, None, &columns).unwrap()
        );
        assert_eq!(from_table[0]["expect"], "a b");
        for (file, text) in [
            ("a.json", "[1]"),
            ("a.json", "{"),
            ("a.json", "{\"a\": [], \"b\": []}"),
            ("a.json", "[{\"id\": \"X-1\"}]"),
            ("a.md", "| Id |\n|---|\n| X-1 |\n"),
        ] {
            assert!(records(file, text, None, &columns).is_err(), "{text}");
        }
    }
}
