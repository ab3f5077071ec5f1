//! `proofhouse config show`.

use super::exit;
use super::out::Out;
use workspace::config::keys::KEYS;
use workspace::config::{self, Value};
use workspace::{EngineError, Project};

pub(crate) fn show(project: &Project, out: &Out) -> Result<u8, EngineError> {
    let config = project.config()?;
    let set: Vec<(&String, &Value, String)> = config
        .iter()
        .map(|(name, value, source)| (name, value, source.to_string()))
        .collect();
    if out.json {
        let facts: Vec<_> = set
            .iter()
            .map(|(name, value, source)| serde_json::json!({"name": name, "value": value, "source": source}))
            .collect();
        out.facts(&facts);
        return Ok(exit::OK);
    }
    let mut rows = Vec::new();
    for (name, value, source) in &set {
        let value = serde_json::to_string(value).unwrap_or_default();
        rows.push(vec![(*name).clone(), value, source.clone()]);
    }
    for key in KEYS {
        if !set.iter().any(|(name, _, _)| *name == key.name) {
            let variable = if key.name.contains('*') {
                String::new()
            } else {
                format!(" (${})", config::variable(key.name))
            };
            rows.push(vec![
                key.name.to_owned(),
                "-".to_owned(),
                format!("not set; {}{variable}", key.about),
            ]);
        }
    }
    out.table(&["setting", "value", "source"], &rows);
    Ok(exit::OK)
}
