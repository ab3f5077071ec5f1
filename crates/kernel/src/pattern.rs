//! Patterns with a document field in them: `{Test files}` stands for each glob that the field lists.
//! Agents write such fields, so it refuses what leads out of the repository.

use std::collections::BTreeMap;

/// The pattern once for each glob that its field lists; a pattern without a field as it is. An
/// empty field names nothing.
pub fn filled_in(pattern: &str, fields: &BTreeMap<String, String>) -> Vec<String> {
    let inner = pattern.split_once('{').and_then(|(before, rest)| {
        let (name, after) = rest.split_once('}')?;
        Some((before, name, after))
    });
    // `{a,b}` is a choice of a glob's own.
    let Some((before, name, after)) = inner.filter(|(_, name, _)| !name.contains(',')) else {
        return vec![pattern.to_owned()];
    };
    let value = fields.get(name).map_or("", String::as_str);
    let globs = globs_in(value)
        .into_iter()
        .filter(|glob| stays_inside(glob));
    globs.map(|glob| format!("{before}{glob}{after}")).collect()
}

/// The globs that a field lists, with commas or blanks between them.
pub fn globs_in(value: &str) -> Vec<&str> {
    let parts = value.split([',', ' ', '\t']);
    let bare = parts.map(|part| part.trim_matches('`'));
    bare.filter(|part| !part.is_empty()).collect()
}

/// Is it relative, without a way up, and no exception?
pub fn stays_inside(glob: &str) -> bool {
    !glob.starts_with(['/', '!']) && !glob.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_opens_what_it_lists_and_nothing_else() {
        let fields = BTreeMap::from([(
            "Test files".to_owned(),
            "`tests/**`, ../up, /etc/x, !no src/*.test.js".to_owned(),
        )]);
        assert_eq!(
            filled_in("repo/{Test files}", &fields),
            ["repo/tests/**", "repo/src/*.test.js"]
        );
        assert_eq!(filled_in("!{Test files}", &fields)[0], "!tests/**");
        assert!(filled_in("{Other}", &fields).is_empty());
        assert_eq!(filled_in("src/*.{js,ts}", &fields), ["src/*.{js,ts}"]);
        assert_eq!(filled_in("src/**", &fields), ["src/**"]);
    }
}
