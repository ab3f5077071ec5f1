//! Names that a compiler or an importer did not find. Before the code is written that is the right
//! reason to be red; afterwards it is not.

/// What stands before a missing name, and the character that closes the name (a space stands for
/// the end of the line).
const MARKS: [(&str, char); 17] = [
    ("cannot find function `", '`'),
    ("cannot find value `", '`'),
    ("cannot find type `", '`'),
    ("cannot find trait `", '`'),
    ("cannot find macro `", '`'),
    ("cannot find module or crate `", '`'),
    ("cannot find struct, variant or union type `", '`'),
    ("unresolved import `", '`'),
    ("use of undeclared type `", '`'),
    ("no method named `", '`'),
    ("no function or associated item named `", '`'),
    ("cannot import name '", '\''),
    ("No module named '", '\''),
    ("undefined: ", ' '),
    ("Cannot find module '", '\''),
    ("does not provide an export named '", '\''),
    ("is not in std (", ')'),
];

/// The names, each once, in the order in which they come up.
pub(super) fn missing(output: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in output.lines() {
        for (mark, close) in MARKS {
            let Some((_, rest)) = line.split_once(mark) else {
                continue;
            };
            let name = rest.split(close).next().unwrap_or_default().trim();
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn names_are_found_once_each() {
        let output = "error[E0425]: cannot find function `tax` in crate `shop`\n\
            error[E0425]: cannot find function `tax` in crate `shop`\n\
            bad/bad_test.go:3:33: undefined: Tax\n\
            E   ModuleNotFoundError: No module named 'shop'\n\
            SyntaxError: The requested module './a' does not provide an export named 'b'\n\
            error: expected `;`\n";
        assert_eq!(missing(output), ["tax", "Tax", "shop", "b"]);
        assert!(missing("error[E0308]: mismatched types").is_empty());
    }
}
