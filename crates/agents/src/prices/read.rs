//! Reads a table of prices. A key that it does not know is an error: a misspelt one would be a wrong
//! bill.

use super::{Price, PriceError, Rates};
use std::collections::BTreeMap;
use toml::Table;

/// All prices of a file.
pub(super) fn table(text: &str) -> Result<BTreeMap<String, Price>, PriceError> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| PriceError(error.message().to_owned()))?;
    let mut prices = BTreeMap::new();
    for (model, value) in &table {
        let toml::Value::Table(entry) = value else {
            return Err(PriceError(format!("`{model}` is not a table")));
        };
        prices.insert(model.clone(), price(model, entry)?);
    }
    Ok(prices)
}

fn price(model: &str, entry: &Table) -> Result<Price, PriceError> {
    known(
        model,
        entry,
        &[
            "input",
            "cached",
            "written",
            "output",
            "window",
            "max_output",
            "long",
        ],
    )?;
    let long = match entry.get("long") {
        None => None,
        Some(toml::Value::Table(long)) => {
            known(
                model,
                long,
                &["over", "input", "cached", "written", "output"],
            )?;
            Some((needed(model, long, "over")?, rates(model, long)?))
        }
        Some(_) => return Err(PriceError(format!("`{model}.long` is not a table"))),
    };
    Ok(Price {
        rates: rates(model, entry)?,
        long,
        window: number(model, entry, "window")?,
        max_output: number(model, entry, "max_output")?,
    })
}

fn known(model: &str, entry: &Table, keys: &[&str]) -> Result<(), PriceError> {
    match entry.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(PriceError(format!("`{model}` has an unknown key `{key}`"))),
    }
}

fn rates(model: &str, entry: &Table) -> Result<Rates, PriceError> {
    let input = needed(model, entry, "input")?;
    Ok(Rates {
        input,
        cached: number(model, entry, "cached")?.unwrap_or(input),
        written: number(model, entry, "written")?.unwrap_or(input),
        output: needed(model, entry, "output")?,
    })
}

fn needed(model: &str, entry: &Table, key: &str) -> Result<u64, PriceError> {
    number(model, entry, key)?.ok_or_else(|| PriceError(format!("`{model}` has no `{key}`")))
}

fn number(model: &str, entry: &Table, key: &str) -> Result<Option<u64>, PriceError> {
    let wrong = || PriceError(format!("`{model}.{key}` is not a whole number from 0"));
    match entry.get(key) {
        None => Ok(None),
        Some(value) => {
            let number = value.as_integer().ok_or_else(wrong)?;
            Ok(Some(u64::try_from(number).map_err(|_| wrong())?))
        }
    }
}
