//! Tests that stand inside of other sources. It does not take the whole file for them: who mends the code
//! beside a test or adds one has not touched what is here.
//!
//! It goes by lines, as formatted code has them: a function ends at the brace that stands as far in
//! as it began.

/// What begins a module of tests.
const TESTS_BELOW: &str = "#[cfg(test)]";

/// The names of the test functions in a Rust source, in order, each once.
pub fn test_functions(text: &str) -> Vec<String> {
    let mut names: Vec<String> = functions(text).into_iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
}

/// The source of the test functions of this name, with their attributes; none where there is no such one.
pub fn test_function(text: &str, name: &str) -> Option<String> {
    let found = functions(text).into_iter();
    let found: Vec<&str> = found
        .filter(|(known, _)| known == name)
        .map(|(_, source)| source)
        .collect();
    (!found.is_empty()).then(|| found.join("\n"))
}

fn functions(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut attributes: Option<usize> = None;
    let mut is_test = false;
    let lines = offsets(text);
    for (at, (start, line)) in lines.iter().enumerate() {
        let bare = line.trim_start();
        if bare.starts_with("#[") {
            attributes.get_or_insert(*start);
            is_test |= is_test_attribute(bare);
            continue;
        }
        if bare.starts_with("//") && attributes.is_some() {
            continue;
        }
        if let (Some(from), true, Some(name)) = (attributes, is_test, function(bare)) {
            let end = end_of(&lines[at..]).unwrap_or(text.len());
            found.push((name, &text[from..end]));
        }
        (attributes, is_test) = (None, false);
    }
    found
}

/// `#[test]`, `#[tokio::test]`, `#[test_case(1)]`, `#[rstest]`.
fn is_test_attribute(line: &str) -> bool {
    let name = line.trim_start_matches("#[");
    let end = name.find(['(', ']', ' ']).unwrap_or(name.len());
    let last = name[..end].rsplit("::").next().unwrap_or_default();
    matches!(last, "test" | "rstest" | "test_case" | "proptest")
}

fn function(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|word| *word != "fn");
    let name = words.nth(1)?;
    let end = name.find(['(', '<']).unwrap_or(name.len());
    Some(name[..end].to_owned())
}

/// The text without its modules of tests: what is left is the product's.
pub fn without_test_modules(text: &str) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for module in modules(text) {
        kept.push_str(&text[at..module.start]);
        // Lines keep their numbers.
        kept.push_str(&"\n".repeat(text[module.clone()].lines().count()));
        at = module.end;
    }
    kept.push_str(&text[at..]);
    kept
}

/// The modules of tests alone, with what leads to one in another file.
pub fn test_modules(text: &str) -> String {
    let found = modules(text).into_iter();
    found.map(|module| &text[module]).collect()
}

/// Where the modules of tests are.
fn modules(text: &str) -> Vec<std::ops::Range<usize>> {
    let lines = offsets(text);
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, (start, line)) in lines.iter().enumerate() {
        if line.trim() != TESTS_BELOW || found.last().is_some_and(|last| *start < last.end) {
            continue;
        }
        let mut after = lines[at + 1..].iter().enumerate();
        let first = after.find(|(_, (_, line))| !line.trim().starts_with("#["));
        let Some((more, (begins, line))) = first else {
            continue;
        };
        let is_module = line.split_whitespace().take(3).any(|word| word == "mod");
        let end = match (is_module, line.trim_end().ends_with(';')) {
            (true, true) => Some(begins + line.len()),
            (true, false) if line.contains('{') => end_of(&lines[at + 1 + more..]),
            _ => None,
        };
        found.extend(end.map(|end| *start..end));
    }
    found
}

/// Where the block that begins on the first line ends: behind the line with its brace.
fn end_of(lines: &[(usize, &str)]) -> Option<usize> {
    let (start, first) = lines.first()?;
    let indent = first.len() - first.trim_start().len();
    let whole = first.trim_end();
    if whole.ends_with('}') && whole.contains('{') {
        return Some(start + first.len());
    }
    let closes = |line: &str| {
        let own = line.len() - line.trim_start().len();
        own == indent && line.trim_start().starts_with('}')
    };
    let (start, last) = lines[1..].iter().find(|(_, line)| closes(line))?;
    Some(start + last.len())
}

fn offsets(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let start = at;
            at += line.len();
            (start, line)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "pub fn a() {}\n\n#[cfg(test)]\nuse b::c;\n\nfn d() {\n    todo!()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    /// One.\n    #[test]\n    #[ignore]\n    fn ac_1() {\n        if true {\n            assert!(true);\n        }\n    }\n\n    #[tokio::test]\n    async fn ac_2() { assert!(true); }\n\n    fn helper() {}\n}\n// fixme\n";

    #[test]
    fn tests_are_found_by_name_and_end_where_they_end() {
        assert_eq!(test_functions(SOURCE), ["ac_1", "ac_2"]);
        let one = test_function(SOURCE, "ac_1").unwrap();
        assert!(
            one.starts_with("    #[test]\n    #[ignore]\n    fn ac_1()"),
            "{one}"
        );
        assert!(one.ends_with("        }\n    }\n"), "{one}");
        let two = test_function(SOURCE, "ac_2").unwrap();
        assert!(two.ends_with("fn ac_2() { assert!(true); }\n"), "{two}");
        assert_eq!(test_function(SOURCE, "helper"), None);
        // What stands beside it is not in it.
        let more = SOURCE.replace("fn helper() {}", "#[test]\n    fn ac_3() {}");
        assert_eq!(test_function(&more, "ac_1").unwrap(), one);
        let less = SOURCE.replace("assert!(true);\n", "\n");
        assert_ne!(test_function(&less, "ac_1").unwrap(), one);
    }

    #[test]
    fn only_modules_of_tests_are_left_out() {
        let kept = without_test_modules(SOURCE);
        assert!(
            kept.contains("todo!()") && kept.contains("// fixme"),
            "{kept}"
        );
        assert!(!kept.contains("helper"), "{kept}");
        assert_eq!(kept.lines().count(), SOURCE.lines().count());
        let said = "// #[cfg(test)]\nfn d() {\n    todo!()\n}\n";
        assert_eq!(without_test_modules(said), said);
    }
}
