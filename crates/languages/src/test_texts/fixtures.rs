//! Fixtures of pytest: a `conftest.py` that only makes things for tests which ask for them by name is a helper
//! of tests, and changes nothing about how they run.

/// Does a `conftest.py` hold nothing but imports and fixtures that tests ask for? Hooks, fixtures that come of
/// themselves, classes and statements of the module's own are more.
pub fn fixtures_alone(text: &str) -> bool {
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
        if !(known || defines && decorated) || line.contains(';') {
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
        ] {
            assert!(!fixtures_alone(&format!("{fixture}\n\n{more}")), "{more}");
        }
    }
}
