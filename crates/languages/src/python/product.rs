//! A product in Python: one distribution with a package for each module and one that imports them
//! all; tests lie in `tests/`, by module.

use crate::Files;
use crate::product::{Command, EXAMPLE, Product, Takes, Then};

/// Finds plain functions as well, as pytest does.
const TESTS: &str = include_str!("product_tests.py");

/// All files but the README.
pub fn product(product: &Product) -> Files {
    let mut files = Files::new();
    let mut write = |path: String, text: String| {
        files.insert(path, text);
    };
    let own = package(product);
    write("pyproject.toml".to_owned(), manifest(product, &own));
    write(".gitignore".to_owned(), "__pycache__/\n".to_owned());
    write(format!("{own}/__init__.py"), facade(product));
    write("tests/__init__.py".to_owned(), TESTS.to_owned());
    if let Some(command) = &product.command {
        write(format!("{own}/__main__.py"), main(product, &own, command));
        if !product.cases.is_empty() {
            write("tests/test_product.py".to_owned(), cases(product, &own));
        }
    }
    for part in &product.parts {
        let name = part.code_name();
        for (path, text) in &part.code {
            write(format!("{name}/{path}"), text.clone());
        }
        write(format!("tests/{name}/__init__.py"), String::new());
        for (path, text) in &part.tests {
            write(format!("tests/{name}/{path}"), text.clone());
        }
    }
    files
}

/// As code imports it. A package of our own must not hide a module.
fn package(product: &Product) -> String {
    product.name.replace('-', "_")
}

fn manifest(product: &Product, own: &str) -> String {
    let mut packages = vec![format!("\"{own}\"")];
    packages.extend(
        product
            .parts
            .iter()
            .map(|part| format!("\"{}\"", part.code_name())),
    );
    let script = match product.command {
        Some(_) => format!(
            "\n[project.scripts]\n{} = \"{own}.__main__:main\"\n",
            product.name
        ),
        None => String::new(),
    };
    let python = product.tried_with.as_deref().unwrap_or("3.9");
    format!(
        "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\n[project]\nname = \"{}\"\nversion = \"{}\"\ndescription = {}\nreadme = \"README.md\"\nrequires-python = \">={python}\"\n{script}\n[tool.setuptools]\npackages = [{}]\n",
        product.name,
        product.version,
        quoted(
            &product
                .about
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        ),
        packages.join(", "),
    )
}

fn facade(product: &Product) -> String {
    let mut text = format!(
        "\"\"\"{}\"\"\"\n\n",
        product.about.replace('\\', "/").replace('"', "'")
    );
    // Under the names that only modules have: what looks like a function is one.
    for part in &product.parts {
        text.push_str(&format!("import {}\n", part.code_name()));
    }
    if let Some(front) = product.front.as_ref().and_then(|one| product.part(one)) {
        text.push_str(&format!("from {} import *\n", front.code_name()));
    }
    text
}

fn main(product: &Product, own: &str, command: &Command) -> String {
    let shown = product.example().map_or_else(String::new, |given| {
        format!(
            "    if sys.stdin.isatty():\n        print({}, file=sys.stderr)\n        return {}\n",
            quoted(EXAMPLE),
            quoted(given)
        )
    });
    let argument = match command.takes {
        Takes::Text => "text",
        Takes::Lines => "text.splitlines()",
    };
    let from = command.package.replace('-', "_");
    let usage = quoted(product.usage().trim_end());
    format!(
        "\"\"\"Reads a file, or standard input, and prints what it comes to.\"\"\"\n\nimport sys\n\nfrom {from} import {0}\n\nUSAGE = {usage}\n\n\ndef read():\n    if len(sys.argv) > 1:\n        with open(sys.argv[1], encoding=\"utf-8\") as file:\n            return file.read()\n{shown}    # As a file is read, whatever the locale says.\n    sys.stdin.reconfigure(encoding=\"utf-8\", errors=\"strict\")\n    return sys.stdin.read()\n\n\ndef main():\n    if sys.argv[1:2] in ([\"-h\"], [\"--help\"]):\n        print(USAGE)\n        return 0\n    try:\n        text = read()\n        given = {0}({argument})\n    except Exception as error:\n        print(f\"{{type(error).__name__}}: {{error}}\", file=sys.stderr)\n        return 1\n    print(given)\n    return 0\n\n\nif __name__ == \"__main__\":\n    # `{own}` is what people run.\n    sys.exit(main())\n",
        command.function,
    )
}

fn cases(product: &Product, own: &str) -> String {
    let mut text = format!(
        "\"\"\"What the spec promises of the command, each case as it was run before the release.\"\"\"\n\nimport subprocess\nimport sys\nimport unittest\n\n\ndef run(given):\n    return subprocess.run(\n        [sys.executable, \"-m\", \"{own}\"], input=given, capture_output=True, text=True\n    )\n\n\nclass Cases(unittest.TestCase):\n"
    );
    for (at, case) in product.cases.iter().enumerate() {
        let checks = match &case.then {
            Then::Prints(line) => format!(
                "        self.assertEqual(output.returncode, 0, output.stderr)\n        self.assertEqual(output.stdout.rstrip(), {})\n",
                quoted(line.trim_end())
            ),
            Then::Refuses(why) => format!(
                "        self.assertNotEqual(output.returncode, 0)\n        self.assertIn({}, output.stderr)\n",
                quoted(why)
            ),
            // A command is not asked by its names.
            Then::Answers(_) => String::new(),
        };
        text.push_str(&format!(
            "    def test_case_{}(self):\n        # {}\n        output = run({})\n{checks}\n",
            at + 1,
            case.shows.split_whitespace().collect::<Vec<_>>().join(" "),
            quoted(&case.given)
        ));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// As Python and TOML write a text: the escapes of JSON are among theirs.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
