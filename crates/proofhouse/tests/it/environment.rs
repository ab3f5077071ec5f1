//! A repository with its own environment of Python: what it is checked by is installed there alone, at
//! the path where its programs' first lines look for it, and leads to the judged tree and no other.

use crate::support::{World, says};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// As much of pytest as a report needs.
const PYTEST: &str = r#"import importlib.util, pathlib, sys
from xml.sax.saxutils import quoteattr

def main():
    cases, failed = [], 0
    for path in sorted(pathlib.Path("tests").glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        cases_of = f'<testcase classname="tests.{path.stem}" name='
        try:
            spec.loader.exec_module(module)
        except Exception as why:
            failed += 1
            cases.append(f'<testcase classname="" name="tests.{path.stem}"><error message="collection failure">{why}</error></testcase>')
            continue
        for name in [name for name in dir(module) if name.startswith("test_")]:
            try:
                getattr(module, name)()
                cases.append(f'{cases_of}"{name}"/>')
            except Exception as why:
                failed += 1
                cases.append(f'{cases_of}"{name}"><failure message={quoteattr(repr(why))}/></testcase>')
    for word in sys.argv:
        if word.startswith("--junitxml="):
            text = f'<testsuites><testsuite tests="{len(cases)}" errors="0" failures="{failed}">{"".join(cases)}</testsuite></testsuites>'
            pathlib.Path(word.split("=", 1)[1]).write_text(text)
    print(f"{len(cases)} tests, {failed} failed")
    return 1 if failed else 0
"#;

/// A coder that runs what it is judged by before it hands in.
const CODER: &str = r#"cat > /dev/null
cd "$PROOFHOUSE_VIEW/repo" || exit 1
printf 'def total(prices):\n    return sum(prices)\n' >> src/shop/sums.py
printf 'from shop.sums import total\ndef test_of_two():\n    assert total([1, 2]) == 3\n' > tests/test_sums.py
pytest -q || exit 1
echo '{"summary": "sums are made"}' > "$PROOFHOUSE_RESULT"
"#;

/// A shop whose package is installed editable in `folder`, as is what it is tested by.
fn shop(folder: &str) -> Option<World> {
    let asks = "import sys; print(sys._base_executable, '%d.%d' % sys.version_info[:2])";
    let said = Command::new("python3").args(["-c", asks]).output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (python, version) = said.trim().split_once(' ')?;
    let world = World::of_ann();
    world.write(".gitignore", "agent/\n.proofhouse/\n.venv/\nvenv/\n");
    let top = world.path().canonicalize().unwrap();
    let (home, _) = python.rsplit_once('/')?;
    let settings = format!("home = {home}\ninclude-system-site-packages = false\n");
    world.write(&format!("{folder}/pyvenv.cfg"), &settings);
    let packages = format!("{folder}/lib/python{version}/site-packages");
    world.write(&format!("{packages}/pytest.py"), PYTEST);
    let editable = format!("{}/src\n", top.display());
    world.write(&format!("{packages}/shop.pth"), &editable);
    let program = format!(
        "#!{}/{folder}/bin/python\nimport sys\nfrom pytest import main\nsys.exit(main())\n",
        top.display()
    );
    let pytest = format!("{folder}/bin/pytest");
    world.write(&pytest, &program);
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.at(&pytest), runs).unwrap();
    symlink(python, world.at(&format!("{folder}/bin/python"))).unwrap();
    symlink("python", world.at(&format!("{folder}/bin/python3"))).unwrap();
    world.write("src/shop/__init__.py", "");
    let count = "def count(prices):\n    return len(prices)\n";
    world.write("src/shop/sums.py", count);
    let before = "from shop.sums import count\ndef test_old():\n    assert count([1]) == 1\n";
    world.write("tests/test_old.py", before);
    world.write("agent/coder.sh", CODER);
    world.commit("a suite that needs what is installed");
    Some(world)
}

/// Neither activated nor named by its path: the name of the program is enough, for the agent, for the
/// proof in clean rooms, and again when it lands on a branch that has moved.
#[test]
fn its_programs_are_found_by_their_names() {
    for folder in [".venv", "venv"] {
        let Some(world) = shop(folder) else {
            eprintln!("SKIPPED: there is no python3 here");
            return;
        };
        let coder = format!("command:sh {}", world.at("agent/coder.sh").display());
        let asked = ["do", "make sums", "--agent", &coder, "--name", "t"];
        let more = ["--check", "pytest -q", "--autonomy", "auto"];
        let once = ["--budget", "attempts=1"];
        let said = says(&world, &[&asked[..], &more, &once].concat()).exits(0);
        assert!(said.out.contains("prove -> done"), "{}", said.out);
        world.write("other.txt", "somebody else's\n");
        world.commit("the branch moves");
        let said = says(&world, &["land", "t"]).exits(0).out;
        assert!(said.contains("pytest -q"), "{said}");
        assert!(world.read("src/shop/sums.py").contains("sum(prices)"));
    }
}

/// What the person's own tree has in the place of the judged one is seen by nobody: the package that
/// is installed editable is the run's.
#[test]
fn an_editable_package_is_that_of_the_judged_tree() {
    let Some(world) = shop(".venv") else {
        eprintln!("SKIPPED: there is no python3 here");
        return;
    };
    // It would make an agent's idle work green.
    let right = "def count(prices):\n    return 1\ndef total(prices):\n    return 3\n";
    world.write("src/shop/sums.py", right);
    let idle = CODER
        .replace("return sum(prices)", "return 0")
        .replace("|| exit 1\necho '{", "; echo '{");
    world.write("agent/coder.sh", &idle);
    let coder = format!("command:sh {}", world.at("agent/coder.sh").display());
    let asked = ["do", "make sums", "--agent", &coder, "--name", "t"];
    let more = [
        "--check",
        "pytest -q",
        "--autonomy",
        "auto",
        "--from",
        "HEAD",
    ];
    let once = ["--budget", "attempts=1"];
    let said = says(&world, &[&asked[..], &more, &once].concat()).exits(2);
    assert!(said.out.contains("test_of_two"), "{}", said.out);
}
