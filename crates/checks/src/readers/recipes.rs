//! What makes a line such as `make test` or `npm test` mean something else: the recipe of the target
//! that tests, with what it needs first, and the settings of npm that say with what a script is run.

/// Files with recipes, and npm's settings.
const RECIPES: [&str; 6] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    ".justfile",
];
const NPM: &str = ".npmrc";
/// Those of npm's settings that decide with what a script is run, and which are.
const OF_SCRIPTS: [&str; 5] = [
    "node-options",
    "script-shell",
    "shell",
    "ignore-scripts",
    "if-present",
];
/// Targets that test.
const TARGETS: [&str; 2] = ["test", "check"];

/// Is it one of these files?
pub(crate) fn is_one(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == NPM || RECIPES.contains(&name)
}

/// What of it decides how tests run; empty if nothing does.
pub(crate) fn of_tests(path: &str, text: &str) -> String {
    if path.rsplit('/').next() == Some(NPM) {
        let set = text.lines().filter_map(|line| line.split_once('='));
        let set = set.map(|(key, value)| (key.trim().replace('_', "-"), value.trim()));
        let set = set.filter(|(key, _)| OF_SCRIPTS.contains(&key.as_str()));
        return set.map(|(key, value)| format!("{key}={value}\n")).collect();
    }
    let mut wanted: Vec<String> = TARGETS.map(str::to_owned).to_vec();
    let mut found = String::new();
    let mut at = 0;
    while let Some(target) = wanted.get(at).cloned() {
        at += 1;
        let Some((head, recipe)) = target_of(text, &target) else {
            continue;
        };
        found.push_str(&format!("{head}\n"));
        for line in recipe {
            found.push_str(&format!("\t{}\n", line.trim()));
        }
        // What it needs first is a part of it.
        let needs = head.split_once(':').map_or("", |(_, needs)| needs);
        for need in needs.split_whitespace() {
            if !wanted.iter().any(|known| known == need) {
                wanted.push(need.to_owned());
            }
        }
    }
    found
}

/// The line that begins a target, and its recipe.
fn target_of<'t>(text: &'t str, target: &str) -> Option<(&'t str, Vec<&'t str>)> {
    let is_head = |line: &&str| {
        let line = line.strip_prefix('@').unwrap_or(line);
        let rest = line.strip_prefix(target);
        rest.is_some_and(|rest| {
            let head = rest.split(':').next().unwrap_or_default();
            rest.contains(':')
                && !rest.starts_with(":=")
                && (head.is_empty() || head.starts_with(' '))
        })
    };
    let mut lines = text.lines().skip_while(|line| !is_head(line));
    let head = lines.next()?;
    let recipe = lines.take_while(|line| line.starts_with([' ', '\t']) || line.trim().is_empty());
    Some((
        head,
        recipe.filter(|line| !line.trim().is_empty()).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_is_told_from_the_rest() {
        let text = "CC := gcc\n\nbuild:\n\tcc a.c\n\ntest: build\n\t./run.sh\n\nclean:\n\trm x\n";
        let found = of_tests("Makefile", text);
        assert_eq!(found, "test: build\n\t./run.sh\nbuild:\n\tcc a.c\n");
        let other = text.replace("rm x", "rm y").replace("gcc", "clang");
        assert_eq!(of_tests("Makefile", &other), found);
        assert_ne!(
            of_tests("Makefile", &text.replace("./run.sh", "true")),
            found
        );
        assert_eq!(of_tests("Makefile", "all:\n\tcc\n"), "");
        assert_eq!(of_tests(".npmrc", "save-exact=true\n"), "");
        assert_eq!(
            of_tests("a/.npmrc", "node_options = --require ./x.js\n"),
            "node-options=--require ./x.js\n"
        );
        assert!(is_one("web/justfile") && !is_one("Makefile.md"));
    }
}
