//! Fixtures of pytest: a `conftest.py` that only makes things for tests which ask for them by name is a helper
//! of tests, and changes nothing about how they run.

/// Was nothing but that added to a `conftest.py`? What was there stands as it was, in its order.
pub fn fixtures_added(before: &str, now: &str) -> bool {
    let mut old = chunks(before).into_iter().peekable();
    let mut added = String::new();
    for chunk in chunks(now) {
        match old.next_if_eq(&chunk) {
            Some(_) => {}
            // More of what was there, and nothing of its own.
            None if goes_on(&chunk) => return false,
            None => added.push_str(&format!("{chunk}\n")),
        }
    }
    old.peek().is_none() && fixtures_alone(&added)
}

/// Does it begin inside of something?
fn goes_on(chunk: &str) -> bool {
    let code = crate::declared::without_texts("conftest.py", chunk);
    let first = code.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with([' ', '\t', ')', ']', '}']))
}

/// What stands outermost, each with all that belongs to it and without the blank lines around it.
fn chunks(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let code = crate::declared::without_texts("conftest.py", text);
    let mut goes_on = false;
    for (line, code) in text.lines().zip(code.lines()) {
        let bare = code.trim();
        let inside = line.starts_with([' ', '\t', ')', ']', '}']) || line.trim().is_empty();
        // A text of several lines says nothing at its left edge.
        let inside = inside || (bare.is_empty() && !line.trim_start().starts_with('#'));
        match found.last_mut().filter(|_| inside || goes_on) {
            Some(chunk) => chunk.push_str(&format!("\n{line}")),
            None => found.push(line.to_owned()),
        }
        goes_on = match bare.is_empty() {
            true => goes_on,
            false => bare.starts_with('@'),
        };
    }
    let trimmed = found.into_iter().map(|chunk| chunk.trim_end().to_owned());
    trimmed.filter(|chunk| !chunk.is_empty()).collect()
}

/// Does a `conftest.py` hold nothing but imports and fixtures that tests ask for? Hooks, fixtures that come of
/// themselves, classes and statements of the module's own are more.
fn fixtures_alone(text: &str) -> bool {
    let code = crate::declared::without_texts("conftest.py", text);
    // A fixture's arguments may stand on lines of their own.
    let mut open = 0_i32;
    let mut decorated = false;
    for line in code.lines() {
        let depth = |line: &str| {
            let count = |marks: &[char]| line.matches(marks).count();
            i32::try_from(count(&['(', '[', '{'])).unwrap_or(0)
                - i32::try_from(count(&[')', ']', '}'])).unwrap_or(0)
        };
        let inside = open > 0;
        open += depth(line);
        if line.contains("autouse") || line.contains("pytest_") {
            return false;
        }
        if inside || line.trim().is_empty() || line.starts_with([' ', '\t', ')', ']']) {
            continue;
        }
        let fixture = line.starts_with("@pytest.fixture") || line.starts_with("@fixture");
        let defines = line.starts_with("def ") || line.starts_with("async def ");
        let known = line.starts_with("import ") || line.starts_with("from ") || fixture;
        let whole = line.starts_with("from ") && line.contains('*');
        if !(known || defines && decorated) || line.contains(';') || whole {
            return false;
        }
        decorated = fixture;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures_that_tests_ask_for_are_helpers() {
        let fixture = "\"\"\"Of carts.\"\"\"\nimport pytest\nfrom shop import Cart\n\n\n@pytest.fixture\ndef cart():\n    # Two of them; really.\n    return Cart([1, 2])\n\n\n@pytest.fixture(\n    scope=\"session\",\n)\ndef cases(\n    cart,\n):\n    yield {\"a\": cart}\n";
        assert!(fixtures_alone(fixture));
        for more in [
            "def pytest_collection_modifyitems(items):\n    items.clear()\n",
            "@pytest.fixture(autouse=True)\ndef all():\n    yield\n",
            "import builtins; builtins.sum = max\n",
            "Cart.total = lambda self: 3\n",
            "def plain():\n    return 1\n",
            "class Hook:\n    pass\n",
            "collect_ignore = ['test_a.py']\n",
            "for each in ():\n    pass\n",
            "pytest_plugins = ['cheat']\n",
            "from cheat import *\n",
        ] {
            assert!(!fixtures_alone(&format!("{fixture}\n\n{more}")), "{more}");
            // What was there may be what it is, and nothing of the kind is added.
            let hooks = format!("{more}\n\n{fixture}");
            let one = "\n\n@pytest.fixture\ndef empty():\n    text = \"\"\"\nat the edge\n\"\"\"\n    return Cart([])\n";
            assert!(fixtures_added(&hooks, &format!("{hooks}{one}")), "{more}");
            assert!(
                !fixtures_added(fixture, &format!("{fixture}\n\n{more}")),
                "{more}"
            );
            assert!(
                !fixtures_added(&hooks, &format!("{fixture}{one}")),
                "{more}"
            );
        }
        let bent = format!("{fixture}#\n    cart.clear()\n");
        assert!(!fixtures_added(fixture, &bent));
        let bent = fixture.replace("[1, 2]", "[1]");
        assert!(!fixtures_added(fixture, &bent));
        assert!(fixtures_added("", fixture));
    }
}
