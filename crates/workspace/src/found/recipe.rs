//! What a Makefile or a justfile does to test, and whether that is more than the runners that were found
//! beside it: features, options, a second program. Then its line counts as well.

use languages::recipes::lines_of;
use languages::runners::{Runner, call};

/// Programs that need nothing but the repository and the tools of its language. A recipe that starts
/// another (a container, a remote) is no line that can be held everywhere, and the runners stand for it.
const LOCAL: [&str; 12] = [
    "cargo", "go", "npm", "pnpm", "yarn", "npx", "node", "pytest", "python", "python3", "sh",
    "bash",
];
/// Words that change nothing about which tests run.
const IDLE: [&str; 16] = [
    "-q",
    "-v",
    "-vv",
    "-x",
    "-s",
    "-ra",
    "--quiet",
    "--verbose",
    "--all",
    "--workspace",
    "--no-fail-fast",
    "--locked",
    "--offline",
    "-count=1",
    "tests",
    "tests/",
];

/// Does this recipe call one of the runners that were found, itself or in a script of the repository's
/// own, and more than that?
pub(super) fn says_more(
    text: &str,
    target: &str,
    found: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> bool {
    let recipe = lines_of(text, target);
    let runner = |line: &str| call(line).map(|call| call.runner);
    let runners: Vec<Runner> = found.iter().filter_map(|line| runner(line)).collect();
    let program = |line: &str| {
        let mut words = line.split_whitespace().filter(|word| !word.contains('='));
        words.next().unwrap_or_default().to_owned()
    };
    let local = |line: &str| {
        line.split("&&").all(|part| {
            let program = program(part);
            LOCAL.contains(&program.as_str()) || program.starts_with("./")
        })
    };
    let plain = |line: &str| {
        let words: Vec<&str> = line
            .split_whitespace()
            .filter(|word| !IDLE.contains(word))
            .collect();
        let bare = words.join(" ");
        found.contains(&bare)
            || call(&bare)
                .is_some_and(|call| call.command.is_none() && runners.contains(&call.runner))
    };
    let calls_one = |line: &str| {
        line.split("&&").any(|part| {
            let words: Vec<&str> = part.split_whitespace().take(2).collect();
            let begins = words.join(" ");
            found
                .iter()
                .any(|line| line.starts_with(&begins) && words.len() == 2)
                || runner(part.trim()).is_some_and(|runner| runners.contains(&runner))
        })
    };
    let script_calls_one = |line: &str| {
        let mut scripts = line.split("&&").filter_map(|part| read(script(part)?));
        scripts.any(|text| text.lines().any(|line| calls_one(line.trim())))
    };
    recipe.iter().all(|line| local(line))
        && recipe
            .iter()
            .any(|line| calls_one(line) || script_calls_one(line))
        && !recipe.iter().all(|line| plain(line))
}

/// The script of the repository that a command starts: `./check.sh`, `sh -e scripts/check.sh`.
fn script(command: &str) -> Option<&str> {
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('='));
    let program = words.next()?;
    match program {
        "sh" | "bash" => words.find(|word| !word.starts_with('-')),
        own => own.strip_prefix("./"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_counts_where_it_says_more_than_what_was_found() {
        let cargo = ["cargo test".to_owned()];
        let python = ["python3 -m pytest".to_owned()];
        for (recipe, found, more) in [
            ("cargo test", &cargo, false),
            ("@cargo test --workspace -q", &cargo, false),
            ("pytest -q tests", &python, false),
            ("cargo test --features extra", &cargo, true),
            ("cargo test && ./check.sh", &cargo, true),
            ("pytest --doctest-modules src", &python, true),
            // One file further on.
            ("sh scripts/all.sh", &python, true),
            ("CI=1 ./scripts/all.sh", &python, true),
            // Another thing altogether, or one that not every machine has.
            ("sh scripts/all.sh", &cargo, false),
            ("./check.sh", &cargo, false),
            ("docker compose run app pytest", &python, false),
            ("", &cargo, false),
        ] {
            let text = format!("all:\n\ttrue\n\ntest: all\n\t{recipe}\n\nother:\n\tx\n");
            let read = |path: &str| {
                let all = "set -e\npytest -q\npython3 scripts/api.py\n";
                (path == "scripts/all.sh").then(|| all.to_owned())
            };
            assert_eq!(says_more(&text, "test", found, &read), more, "{recipe}");
        }
    }
}
