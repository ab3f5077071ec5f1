//! The name that somebody meant who wrote another one.

/// The name that differs least, if it is near enough to be meant.
pub fn nearest<'n>(key: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if key.len() > 64 {
        return None;
    }
    names
        .map(|name| (distance(key.as_bytes(), name.as_bytes()), name))
        .filter(|(distance, name)| *distance * 3 <= name.len())
        .min()
        .map(|(_, name)| name)
}

/// How many letters must change.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_that_differs_in_few_letters() {
        let names = || ["claude", "codex", "pi"].into_iter();
        assert_eq!(nearest("cluade", names()), Some("claude"));
        assert_eq!(nearest("Codexx", names()), Some("codex"));
        assert_eq!(nearest("gpt-5", names()), None);
        let names = || ["depends_on", "subtasks"].into_iter();
        assert_eq!(nearest("dependsOn", names()), Some("depends_on"));
        assert_eq!(nearest("subtask", names()), Some("subtasks"));
        assert_eq!(nearest("priority", names()), None);
    }
}
