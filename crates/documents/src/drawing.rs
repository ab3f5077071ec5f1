//! A file tree as people draw it in a design, read into paths.

use crate::Error;
use languages::{judges, manifests};

/// One thing that the design names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// As it is drawn, from the repository's root.
    pub path: String,
    /// The files that it stands for; `*` stays within a folder.
    pub glob: String,
}

/// The characters that draw the lines.
const LINES: &str = " \t│├└─┬|`+-\\";
/// What begins a remark behind a name.
const REMARKS: [&str; 9] = [" #", "\t#", " //", " — ", " – ", " - ", " <-", " ←", "  "];

struct Line {
    column: usize,
    name: String,
}

/// Everything that a drawing names: files, and folders of which nothing more is said (all in them
/// is designed). `exists` says whether a folder of this name lies at the repository's root. One folder
/// around everything is the repository itself if it is not there and holds what lies at a
/// repository's top; else it is a folder that is yet to be made.
pub fn tree(drawing: &str, exists: &dyn Fn(&str) -> bool) -> Result<Vec<Drawn>, Error> {
    let mut drawn: Vec<Line> = drawing.lines().filter_map(draw).collect();
    // A drawing may begin with the repository itself.
    let outermost = |drawn: &[Line]| {
        drawn
            .iter()
            .filter(|one| one.column == drawn[0].column)
            .count()
    };
    if drawn.len() > 1 && outermost(&drawn) == 1 && drawn[0].column < drawn[1].column {
        let name = drawn[0].name.trim_end_matches('/');
        let inside = drawn[1].column;
        let mut inner = drawn[1..].iter().filter(|one| one.column == inside);
        if name == "." || (!exists(name) && inner.any(|one| lies_at_the_top(&one.name))) {
            drawn.remove(0);
        }
    }
    if drawn.is_empty() {
        return Err("its drawing names no file".into());
    }
    let mut folders: Vec<(usize, String)> = Vec::new();
    let mut designed = Vec::new();
    for (at, one) in drawn.iter().enumerate() {
        while folders
            .last()
            .is_some_and(|(column, _)| *column >= one.column)
        {
            folders.pop();
        }
        let above = folders.last().map_or("", |(_, path)| path);
        let name = one.name.trim_start_matches("./");
        let path = format!("{above}{name}");
        let has_children = drawn
            .get(at + 1)
            .is_some_and(|next| next.column > one.column);
        if has_children || name.ends_with('/') {
            let folder = format!("{}/", path.trim_end_matches('/'));
            if !has_children {
                designed.push(thing(&path, &format!("{folder}**")));
            }
            folders.push((one.column, folder));
        } else if matches!(name, "..." | "…") {
            designed.push(thing(&format!("{above}..."), &format!("{above}**")));
        } else {
            designed.push(thing(&path, &path));
        }
    }
    Ok(designed)
}

/// Does something of this name lie at a repository's top, and hardly anywhere below it?
fn lies_at_the_top(name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let plain = name.to_lowercase();
    let begins = ["readme", "license", "makefile", "dockerfile"];
    begins.iter().any(|begins| plain.starts_with(begins))
        || (name.starts_with('.') && name.len() > 1 && !name.starts_with(".."))
        || ["src", "docs"].contains(&name)
        || judges::is_test(&format!("{name}/a"))
        || manifests::is_manifest(name)
        || manifests::is_lock(name)
}

fn thing(path: &str, glob: &str) -> Drawn {
    Drawn {
        path: path.to_owned(),
        glob: glob.to_owned(),
    }
}

fn draw(line: &str) -> Option<Line> {
    let column = line
        .chars()
        .take_while(|char| LINES.contains(*char))
        .count();
    let rest: String = line.chars().skip(column).collect();
    let end = REMARKS.iter().filter_map(|mark| rest.find(mark)).min();
    let name = rest[..end.unwrap_or(rest.len())].trim();
    (!name.is_empty() && !name.starts_with('#')).then(|| Line {
        column,
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(drawing: &str) -> Vec<String> {
        let found = tree(drawing, &|name| name == "src").unwrap();
        found.into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn drawings_of_all_kinds() {
        let boxes = "shop/\n├── Cargo.toml\n├── src/\n│   ├── main.rs   # begins here\n│   └── tax/\n│       └── rate.rs\n└── tests/\n    └── basket.rs\n";
        let wanted = [
            "Cargo.toml",
            "src/main.rs",
            "src/tax/rate.rs",
            "tests/basket.rs",
        ];
        assert_eq!(paths(boxes), wanted);
        let ascii = ".\n|-- Cargo.toml\n|-- src\n|   |-- main.rs\n|   `-- tax\n|       `-- rate.rs\n`-- tests\n    `-- basket.rs\n";
        assert_eq!(paths(ascii), wanted);
        let plain = "Cargo.toml\nsrc/main.rs\nsrc/tax/rate.rs - the rate\ntests/basket.rs\n";
        assert_eq!(paths(plain), wanted);
        let indented = "src/\n  main.rs\n  tax/\n    rate.rs\n";
        assert_eq!(paths(indented), ["src/main.rs", "src/tax/rate.rs"]);
    }

    #[test]
    fn one_folder_around_everything_is_the_repository_or_is_yet_to_be_made() {
        for (drawing, wanted) in [
            (
                "web/\n  main.js\n  tax/\n    rate.js\n",
                &["web/main.js", "web/tax/rate.js"][..],
            ),
            ("shop/\n  main.py\n", &["shop/main.py"]),
            ("shop/\n  main.py\n  README.md\n", &["main.py", "README.md"]),
            (
                "shop/\n  package.json\n  main.js\n",
                &["package.json", "main.js"],
            ),
            ("shop/\n  src/\n    main.py\n", &["src/main.py"]),
            (
                "shop/\n  main.py\n  tests/\n    test_main.py\n",
                &["main.py", "tests/test_main.py"],
            ),
            ("./\n  main.py\n", &["main.py"]),
            (
                "src/\n  main.py\n  README.md\n",
                &["src/main.py", "src/README.md"],
            ),
        ] {
            assert_eq!(paths(drawing), wanted, "{drawing}");
        }
    }

    #[test]
    fn folders_and_globs_stand_for_what_is_in_them() {
        let found = tree("src/\n  *.rs\ndocs/\nweb/\n  ...\n", &|_| true).unwrap();
        let globs: Vec<&str> = found.iter().map(|one| one.glob.as_str()).collect();
        assert_eq!(globs, ["src/*.rs", "docs/**", "web/**"]);
        assert!(tree("\n", &|_| true).is_err());
    }
}
