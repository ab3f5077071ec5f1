//! Tests that were moved: gone from where they stood, and in another file with all that they asked for.

use super::asks_less::asks_less;

/// The tests of one file, before and now; those inside of a source are a text of their own.
pub struct Tests {
    pub path: String,
    pub was: Option<String>,
    pub is: Option<String>,
}

/// Where they stood, where they stand, and whether they are the same to the letter.
pub struct Moved {
    pub from: String,
    pub to: String,
    pub same: bool,
}

/// Which of them went where.
pub fn moved(all: &[Tests], additions: bool) -> Vec<Moved> {
    let says = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let gone = all.iter().filter(|one| says(&one.was) && !says(&one.is));
    let new = all.iter().filter(|one| !says(&one.was) && says(&one.is));
    let mut new: Vec<&Tests> = new.collect();
    let mut found = Vec::new();
    for one in gone {
        // One that kept its name is it, before another that says the same.
        let at = [true, false].into_iter().find_map(|by_name| {
            let is_it = |other: &&Tests| {
                (!by_name || name(&one.path) == name(&other.path)) && went_to(one, other, additions)
            };
            new.iter().position(is_it)
        });
        if let Some(at) = at {
            let other = new.remove(at);
            let (was, is) = texts(one, other);
            found.push(Moved {
                from: one.path.clone(),
                to: other.path.clone(),
                same: was == is || crate::same_but_for_layout(&other.path, &was, &is),
            });
        }
    }
    found
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn went_to(one: &Tests, other: &Tests, additions: bool) -> bool {
    let ending = |path: &str| name(path).rsplit_once('.').map(|(_, end)| end.to_owned());
    let (was, is) = texts(one, other);
    ending(&one.path) == ending(&other.path)
        && asks_less(&other.path, (&was, &is), &was, additions).is_none()
}

/// What the one was and the other is.
fn texts(one: &Tests, other: &Tests) -> (String, String) {
    let said = |path: &str, text: &Option<String>| {
        from_the_root(path, text.as_deref().unwrap_or_default())
    };
    (said(&one.path, &one.was), said(&other.path, &other.is))
}

/// A script's text with what it names beside itself (`"../slug.js"`) named from the root: in another folder, the
/// same file has another name.
fn from_the_root(path: &str, text: &str) -> String {
    let scripts = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
    if !scripts.iter().any(|one| path.ends_with(&format!(".{one}"))) {
        return text.to_owned();
    }
    let mut said = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (before, behind) = rest.split_at(at + 1);
        said.push_str(before);
        rest = behind;
        if rest.starts_with("./") || rest.starts_with("../") {
            let end = rest.find(['"', '\'', '`', '\n']).unwrap_or(rest.len());
            let (beside, behind) = rest.split_at(end);
            said.push_str(&named_from_the_root(path, beside));
            rest = behind;
        }
    }
    said + rest
}

fn named_from_the_root(path: &str, beside: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in beside.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(path: &str, was: &str, is: &str) -> Tests {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Tests {
            path: path.to_owned(),
            was: text(was),
            is: text(is),
        }
    }

    #[test]
    fn tests_that_stand_elsewhere_were_moved() {
        let one = "import { slug } from \"../slug.js\";\ntest(\"a\", () => assert.equal(slug(\"A\"), \"a\"));\n";
        let there = one.replace("../slug.js", "../../slug.js");
        let to = |is: &str| {
            let all = [
                tests("test/a.test.js", one, ""),
                tests("test/b.test.js", "old", "other"),
                tests("test/unit/a.test.js", "", is),
            ];
            let mut all = moved(&all, true).into_iter();
            let of =
                |one: Moved| (one.from.as_str() == "test/a.test.js").then_some((one.to, one.same));
            all.next().and_then(of)
        };
        let unit = |same| Some(("test/unit/a.test.js".to_owned(), same));
        assert_eq!(to(&there), unit(true));
        let more = format!("{there}test(\"b\", () => {{}});\n");
        assert_eq!(to(&more), unit(false));
        assert_eq!(to(one), None, "it imports another file there");
        assert_eq!(to(&there.replace("\"a\"))", "\"b\"))")), None);
        assert_eq!(to(""), None);
    }
}
