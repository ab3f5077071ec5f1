//! The Code Index against what the journal says of modules (sections 13.7 and 16): what was
//! deprecated or superseded is marked there, with its pointer and its notes.
//!
//! Entries of shipped modules are the ship's to add; nothing here adds or removes one.

use ::factory::delivery::registry::{Entry, IndexStatus};
use ::factory::machine::Factory;
use index::{
    AppendOnlyCodeIndex, CodeIndexEntry, Create, IndexError, ModuleRef, Replacement, Status,
};
use workspace::error::EngineError;
use workspace::index_place;
use workspace::project::Project;

fn open(project: &Project) -> Result<AppendOnlyCodeIndex, IndexError> {
    AppendOnlyCodeIndex::open(&index_place::of_project(project), Create::Never)
}

fn key(entry: &Entry) -> Result<ModuleRef, IndexError> {
    ModuleRef::parse(&entry.reference.to_string())
}

fn word(status: IndexStatus) -> Status {
    match status {
        IndexStatus::Shipped => Status::Shipped,
        IndexStatus::Deprecated => Status::Deprecated,
        IndexStatus::Superseded => Status::Superseded,
    }
}

/// Marks what the journal marks and the index does not yet.
pub(super) fn follow(project: &Project, machine: &Factory) -> Result<(), EngineError> {
    let marked = machine.registry().iter();
    let marked: Vec<&Entry> = marked
        .filter(|entry| entry.status != IndexStatus::Shipped)
        .collect();
    if marked.is_empty() {
        return Ok(());
    }
    let mut index = open(project)?;
    for entry in marked {
        let key = key(entry)?;
        // One that was never entered, such as a version without code, has nothing to mark.
        let Ok(known) = index.get(&key) else {
            continue;
        };
        if known.status != Status::Shipped {
            continue;
        }
        let new = entry.superseded_by.as_ref();
        let new = new.map(|new| ModuleRef::parse(&new.to_string()));
        let new = new.transpose()?;
        let note = entry.notes.join("\n");
        let note = match note.as_str() {
            "" => "another version has taken its place",
            note => note,
        };
        let now = crate::world::now();
        match (entry.status, &new) {
            (IndexStatus::Superseded, Some(new)) => index.supersede(&key, new, note, now)?,
            (_, Some(new)) => index.deprecate(&key, &Replacement::By(new.clone()), note, now)?,
            (_, None) => index.deprecate(&key, &Replacement::None, note, now)?,
        }
    }
    Ok(())
}

/// What of the index does not agree with the journal: a sentence each.
pub fn faults(project: &Project, machine: &Factory) -> Vec<String> {
    let made = machine.registry().iter().filter(|entry| is_ours(entry));
    let made: Vec<&Entry> = made.collect();
    if made.is_empty() {
        return Vec::new();
    }
    let index = match open(project) {
        Ok(index) => index,
        Err(error) => return vec![format!("the Code Index can not be read: {error}")],
    };
    let mut found = Vec::new();
    for entry in made {
        let known = key(entry).and_then(|key| index.get(&key));
        match known {
            Err(error) => found.push(format!("{}: {error}", entry.reference)),
            Ok(known) => found.extend(differing(entry, &known)),
        }
    }
    found
}

/// A version that this project shipped: what is reused from elsewhere is not ours to vouch for.
pub(super) fn is_ours(entry: &Entry) -> bool {
    !entry.ship_ref.is_empty()
}

fn differing(entry: &Entry, known: &CodeIndexEntry) -> Vec<String> {
    let name = &entry.reference;
    let folder = ::factory::engineering::context::module_folder(name);
    let mut found = Vec::new();
    if known.status != word(entry.status) {
        found.push(format!(
            "{name} is {:?} in the Code Index, and {:?} by the journal",
            known.status, entry.status
        ));
    }
    let new = known.superseded_by.as_ref().map(ToString::to_string);
    if new != entry.superseded_by.as_ref().map(ToString::to_string) {
        found.push(format!(
            "{name} points at another successor in the Code Index"
        ));
    }
    for (what, reference) in [
        ("contract.json", &known.contract_ref),
        ("examples.md", &known.examples_ref),
        ("ship.json", &known.ship_ref),
    ] {
        if *reference != format!("{folder}/{what}") {
            found.push(format!("{name} has its {what} elsewhere in the Code Index"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    //! Neither `factory` nor `index` may know the other, so each has these documents as types of its
    //! own; here is where both are known, and held to the same text.

    use ::factory::code_index;
    use serde_json::{Value, json};

    fn entry() -> Value {
        json!({
            "module_id": "MM-0001", "version": "1.2.3", "name": "slug", "purpose": "makes slugs",
            "tags": ["text"], "contract_ref": "c.json", "examples_ref": "e.md", "ship_ref": "s.json",
            "io_summary": {
                "inputs": ["title: str"], "outputs": ["str"], "error_surfaces": ["Empty"],
                "effects": [], "modes": ["sync"]
            },
            "dependencies": ["MM-0002@^1.0"], "status": "SHIPPED", "superseded_by": null,
            "notes": "none"
        })
    }

    #[test]
    fn an_entry_is_the_same_to_the_documents_and_to_the_index() {
        for status in ["SHIPPED", "DEPRECATED", "SUPERSEDED"] {
            let mut text = entry();
            text["status"] = json!(status);
            text["superseded_by"] = json!("MM-0001@2.0.0");
            let document: code_index::CodeIndexEntry =
                serde_json::from_value(text.clone()).expect("a document");
            let stored = index::CodeIndexEntry::parse(&text.to_string()).expect("an entry");
            assert_eq!(serde_json::to_value(&document).expect("JSON"), text);
            assert_eq!(serde_json::to_value(&stored).expect("JSON"), text);
            assert_eq!(document.embedding_text(), stored.embedding_input());
        }
        for key in entry().as_object().expect("an object").keys() {
            let mut text = entry();
            text.as_object_mut().expect("an object").remove(key);
            let document = serde_json::from_value::<code_index::CodeIndexEntry>(text.clone());
            let stored = index::CodeIndexEntry::parse(&text.to_string());
            assert_eq!(document.is_ok(), stored.is_ok(), "without {key}");
        }
    }

    #[test]
    fn a_question_is_the_same_to_the_documents_and_to_the_index() {
        let asked: code_index::SearchRequest =
            serde_json::from_value(json!({"query": "slugs"})).expect("a document");
        let text = serde_json::to_value(&asked).expect("JSON");
        let question: index::SearchRequest =
            serde_json::from_value(text.clone()).expect("a question");
        assert_eq!(question, index::SearchRequest::new("slugs"));
        assert_eq!(serde_json::to_value(&question).expect("JSON"), text);
    }
}
