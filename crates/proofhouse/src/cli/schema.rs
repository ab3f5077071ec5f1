//! `proofhouse schema`.

use super::exit;
use super::out::Out;
use factory::schema::Document;
use workspace::EngineError;

pub(crate) fn schema(name: Option<&str>, out: &Out) -> Result<u8, EngineError> {
    let Some(name) = name else {
        list(out);
        return Ok(exit::OK);
    };
    let document = find(name)?;
    out.facts(&document.schema());
    Ok(exit::OK)
}

/// The factory's documents, and the Code Index's.
fn documents() -> impl Iterator<Item = &'static Document> {
    factory::schema::DOCUMENTS.iter().chain(&index::DOCUMENTS)
}

fn list(out: &Out) {
    let rows = documents();
    if out.json {
        let facts: Vec<_> = rows
            .map(|d| serde_json::json!({"name": d.name(), "section": d.section, "about": d.about}))
            .collect();
        out.facts(&facts);
        return;
    }
    let rows: Vec<Vec<String>> = rows
        .map(|d| [d.name(), d.section, d.about].map(str::to_owned).to_vec())
        .collect();
    out.table(&["name", "section", "about"], &rows);
}

/// The document of that name.
pub(crate) fn find(name: &str) -> Result<&'static Document, EngineError> {
    let found = documents().find(|document| document.name().eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let names: Vec<&str> = documents().map(Document::name).collect();
        EngineError::user(
            "unknown_schema",
            format!("there is no schema `{}`", super::out::plain(name)),
            format!("the names are: {}", names.join(", ")),
        )
    })
}
