//! `proofhouse schema`.

use super::exit;
use super::out::Out;
use workspace::EngineError;

pub(crate) fn schema(name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let Some(name) = name else {
        list(out);
        return Ok(exit::OK);
    };
    let document = find(name)?;
    out.facts(&(document.schema)());
    Ok(exit::OK)
}

fn list(out: &Out) {
    let rows = factory::schema::DOCUMENTS.iter();
    if out.json {
        let facts: Vec<_> = rows
            .map(|d| serde_json::json!({"name": d.name, "section": d.section, "about": d.about}))
            .collect();
        out.facts(&facts);
        return;
    }
    let rows: Vec<Vec<String>> = rows
        .map(|d| [d.name, d.section, d.about].map(str::to_owned).to_vec())
        .collect();
    out.table(&["name", "section", "about"], &rows);
}

/// The document of that name.
pub(crate) fn find(name: &str) -> Result<&'static factory::schema::Document, EngineError> {
    factory::schema::find(name).ok_or_else(|| {
        let names: Vec<&str> = factory::schema::DOCUMENTS.iter().map(|d| d.name).collect();
        EngineError::user(
            "unknown_schema",
            format!("there is no schema `{}`", super::out::plain(name)),
            format!("the names are: {}", names.join(", ")),
        )
    })
}
