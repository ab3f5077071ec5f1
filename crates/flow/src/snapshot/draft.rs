//! What an agent hands in, read leniently: the gate has judged its shape already, and what is not
//! well formed is left out rather than guessed.

use serde_json::Value;

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .filter_map(|item| Some(item.as_str()?.to_owned()))
        .collect()
}

fn text(value: &Value, key: &str) -> Option<String> {
    let text = value[key].as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn objects<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

/// A result's findings, each as its lines: citations, open questions, an audit's report.
pub(super) fn evidence(result: &Value) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for one in objects(result, "evidence") {
        let (path, line) = (text(one, "path"), one["line"].as_u64());
        let (Some(path), Some(number), Some(snippet)) = (path, line, text(one, "snippet")) else {
            continue;
        };
        let mut lines = vec![format!("{path}:{number}")];
        lines.extend(snippet.lines().map(|line| format!("| {}", line.trim_end())));
        lines.extend(text(one, "note"));
        found.push(lines);
    }
    found.extend(uncertainties(result));
    if let Some(audit) = result["audit"].as_object() {
        let mut lines = Vec::new();
        for (key, value) in audit {
            let name = key.replace('_', " ");
            match value.as_str() {
                Some(word) => lines.insert(0, format!("audit {name}: {word}")),
                None => {
                    let plain = texts(value).into_iter();
                    lines.extend(plain.map(|text| format!("{name}: {text}")));
                    lines.extend(objects(&result["audit"], key).filter_map(judged));
                }
            }
        }
        found.push(lines);
    }
    found
}

/// The criteria that an audit has judged, and whether each is met.
pub(super) fn judgements(result: &Value) -> Vec<(String, bool)> {
    let judged = objects(&result["audit"], "criteria");
    judged
        .filter_map(|one| Some((text(one, "id")?, one["met"].as_bool()?)))
        .collect()
}

/// What an audit says of one criterion.
fn judged(one: &Value) -> Option<String> {
    let (id, met) = (text(one, "id")?, one["met"].as_bool()?);
    let met = if met { "met" } else { "not met" };
    let shown = text(one, "evidence").map_or_else(String::new, |said| format!(": {said}"));
    Some(format!("criterion {id} {met}{shown}"))
}

/// A result's open questions.
pub(super) fn uncertainties(result: &Value) -> Vec<Vec<String>> {
    let questions = texts(&result["uncertainties"]).into_iter();
    questions
        .map(|question| vec![format!("uncertain: {question}")])
        .collect()
}

/// A wanted fact.
pub(super) struct NewFact {
    pub(super) text: String,
    pub(super) evidence: Vec<String>,
}

/// A wanted issue.
pub(super) struct NewIssue {
    pub(super) text: String,
    pub(super) next: String,
    /// Where the answer is looked for.
    pub(super) scope: String,
}

/// What a main agent wants in the next snapshot.
pub(super) struct Draft {
    pub(super) constraints: Vec<String>,
    /// Each with the command that judges it, or `audit`; none in older workflows.
    pub(super) criteria: Vec<(String, String)>,
    pub(super) facts: Vec<NewFact>,
    pub(super) retract: Vec<String>,
    pub(super) open: Vec<NewIssue>,
    /// Issue and evidence.
    pub(super) resolve: Vec<(String, String)>,
}

impl Draft {
    pub(super) fn of(value: &Value) -> Self {
        let facts = objects(value, "facts").filter_map(|one| {
            Some(NewFact {
                text: text(one, "text")?,
                evidence: texts(&one["evidence"]),
            })
        });
        let open = objects(value, "open").filter_map(|one| {
            Some(NewIssue {
                text: text(one, "text")?,
                next: text(one, "next")?,
                scope: text(one, "scope").unwrap_or_default(),
            })
        });
        let resolve =
            objects(value, "resolve").filter_map(|one| Some((text(one, "id")?, text(one, "by")?)));
        let judged = |one: &Value| match one.as_str() {
            Some(plain) => Some((plain.to_owned(), String::new())),
            None => {
                let by = text(one, "by").unwrap_or_default();
                Some((text(one, "text")?, by.trim().trim_matches('`').to_owned()))
            }
        };
        let criteria = objects(value, "criteria").filter_map(judged);
        Self {
            constraints: texts(&value["constraints"]),
            criteria: criteria.collect(),
            facts: facts.collect(),
            retract: texts(&value["retract"]),
            open: open.collect(),
            resolve: resolve.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_audit_says_of_each_criterion_is_evidence() {
        let audit = json!({"audit": {
            "outcome": "FAIL",
            "criteria": [
                {"id": "F-0002", "met": true, "evidence": "src/a.txt:1 greets"},
                {"id": "F-0003", "met": false},
                {"id": "F-0004"},
            ],
            "mismatches": ["F-0003 is not met"],
        }});
        assert_eq!(
            evidence(&audit),
            [[
                "audit outcome: FAIL",
                "criterion F-0002 met: src/a.txt:1 greets",
                "criterion F-0003 not met",
                "mismatches: F-0003 is not met",
            ]]
        );
    }
}
