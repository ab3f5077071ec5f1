//! What a Python package makes public, as the script of ours reads it: what Python binds last, and
//! nothing that could bind a name unseen.

use languages::asked::{Said, read};
use languages::{Extracted, Kind};
use std::path::PathBuf;
use std::process::Command;

fn run(case: &str, text: &str) -> Said {
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("surface-{case}"));
    std::fs::create_dir_all(top.join("pk")).unwrap();
    std::fs::write(top.join("pk/__init__.py"), text).unwrap();
    let core = "def other(a, b): pass\nclass Base: pass\n";
    std::fs::write(top.join("pk/_core.py"), core).unwrap();
    let script = languages::python::SCRIPT;
    let output = Command::new("python3")
        .args(["-I", "-B", "-c", script, "surface"])
        .arg(&top)
        .args(["pk", "mm_used", "!mm_beyond"])
        .output()
        .expect("python3 is needed by this test");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    read(&output.stdout).unwrap()
}

#[test]
fn s6_what_only_a_dependency_uses_and_what_is_public_by_accident_is_named() {
    let own = "def parse(text):\n    return load(text)\n";
    let places = |all: &[languages::Place]| -> Vec<(u32, String)> {
        all.iter().map(|one| (one.line, one.what.clone())).collect()
    };
    let text = format!(
        "from mm_used import load\nimport mm_beyond.deep as _deep\n{own}    from mm_beyond import x\n"
    );
    let found = surface("beyond", &text);
    let beyond = "mm_beyond".to_owned();
    assert_eq!(
        places(&found.undeclared),
        [(2, beyond.clone()), (5, beyond)]
    );
    assert_eq!(
        places(&found.implied),
        [(1, "`load` of `mm_used`".to_owned())]
    );
    // The honest twin.
    let text = format!("from mm_used import load\n__all__ = [\"parse\"]\n{own}# mm_beyond\n");
    let found = surface("declared", &text);
    assert!(
        found.undeclared.is_empty() && found.implied.is_empty(),
        "{found:?}"
    );
}

fn surface(case: &str, text: &str) -> Extracted {
    match run(case, text) {
        Said::Surface { surface, .. } => surface,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn s5_6_the_last_binding_of_a_name_is_the_one_that_callers_find() {
    let text = "def parse(text: str) -> int: pass\nfrom ._core import other as parse\n";
    let found = surface("import", text);
    let (item, function) = found.functions().next().unwrap();
    assert_eq!(
        (item.name.as_str(), item.file.as_str()),
        ("parse", "_core.py")
    );
    assert_eq!(function.parameters.len(), 2);
    for (case, text) in [
        ("for", "def parse(text): pass\nfor parse in [1]: pass\n"),
        ("assign", "def parse(text): pass\nparse = 1\n"),
        (
            "with",
            "def parse(text): pass\nwith open('a') as parse: pass\n",
        ),
    ] {
        let found = surface(case, text);
        assert_eq!(found.get("parse").unwrap().kind, Kind::Constant, "{text}");
    }
    for (case, text) in [
        ("in-for", "for _ in [0]:\n    def backdoor(a, b): pass\n"),
        (
            "in-while",
            "while True:\n    def backdoor(a, b): pass\n    break\n",
        ),
        (
            "in-match",
            "match 1:\n    case 1:\n        def backdoor(a, b): pass\n",
        ),
    ] {
        assert!(surface(case, text).get("backdoor").is_some(), "{text}");
    }
}

#[test]
fn s5_6_what_is_handed_on_is_named_with_the_line_of_its_import() {
    let found = surface(
        "handed-on",
        "import json\n\nfrom os import path\n\n__all__ = [\"path\"]\n",
    );
    assert_eq!(found.get("path").map(|item| item.line), Some(3));
}

#[test]
fn s5_6_what_could_bind_a_name_unseen_is_named() {
    for (case, text, what) in [
        (
            "set",
            "class Box: pass\nBox.more = lambda a: a\n",
            "`Box.more`, which is set from outside,",
        ),
        (
            "set-imported",
            "from ._core import Base\nBase.more = lambda a: a\n",
            "`Base.more`, which is set from outside,",
        ),
        (
            "globals",
            "def _setup():\n    globals()['x'] = 1\n_setup()\n",
            "`globals`",
        ),
        (
            "globals-named",
            "_g = globals\n_g()['x'] = 1\n",
            "`globals`",
        ),
        (
            "sys-modules",
            "import sys\n_m = sys.modules[__name__]\n_m.more = 1\n",
            "`sys.modules`",
        ),
        (
            "sys-renamed",
            "def _setup():\n    import sys as s\n    s.modules[__name__].more = 1\n_setup()\n",
            "`s.modules`",
        ),
        (
            "modules-imported",
            "from sys import modules as _m\n_m[__name__].more = 1\n",
            "`sys.modules`",
        ),
        (
            "sys-by-getattr",
            "import sys as _s\ngetattr(_s, 'mod' + 'ules')[__name__].more = 1\n",
            "`getattr(_s, 'mod' + 'ules')`",
        ),
        (
            "function-globals",
            "def _f(): pass\n_f.__globals__['more'] = 1\n",
            "`__globals__`",
        ),
        (
            "import-module",
            "from importlib import import_module as _i\n_i(__name__).more = 1\n",
            "`importlib.import_module`",
        ),
        (
            "global",
            "def _setup():\n    global more\n    more = 1\n_setup()\n",
            "`global`",
        ),
        (
            "decorator",
            "def _d(f): return f\n@_d\ndef parse(text): pass\n",
            "what the decorator `_d` makes",
        ),
    ] {
        let found = surface(case, text);
        let said: Vec<&str> = found.unseen.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(said, [what], "{text}");
    }
    let text = "import functools\nfrom dataclasses import dataclass\n@dataclass(frozen=True)\nclass Box:\n    size: int\n_cache = None\n@functools.lru_cache(maxsize=1)\ndef parse(text: str) -> Box:\n    global _cache\n    return Box(1)\n";
    assert_eq!(surface("ordinary", text).unseen, []);
    // Words that are the module's own, and the harmless part of `sys`.
    let text = "import sys as _sys\ndef parse(vars, locals=None):\n    size = _sys.maxsize\n    return vars[0], locals, getattr(vars, 'x', size)\n";
    assert_eq!(surface("own-words", text).unseen, []);
}

#[test]
fn an_expression_without_end_is_the_module_s_fault() {
    let text = format!("x = {}1\n", "1 + ".repeat(5_000));
    let Said::Broken { broken } = run("deep", &text) else {
        panic!("it is read");
    };
    assert!(broken.contains("nested too deep"), "{broken}");
}

#[test]
fn s5_4_a_module_in_python_cannot_decide_its_own_tests() {
    for (case, text) in [
        ("direct", "import os\ndef f():\n    os._exit(0)\n"),
        ("other-name", "import os as _o\n_e = _o.abort\n"),
        ("below", "import os.path\n_e = os.abort\n"),
        ("from", "from os import _exit as _e\ndef f():\n    _e(0)\n"),
        ("star", "from os import *\n"),
        (
            "getattr",
            "import os\ndef f():\n    getattr(os, '_ex' + 'it')(0)\n",
        ),
        (
            "program",
            "import os\ndef f():\n    os.execvp('true', ['true'])\n",
        ),
        ("ctypes", "import ctypes\n"),
        ("runner", "from unittest import TestResult as _R\n"),
        (
            "report",
            "import os\n_r = os.environ.get('PROOFHOUSE_REPORT')\n",
        ),
    ] {
        let found = surface(&format!("ending-{case}"), text);
        assert_eq!(found.forging.len(), 1, "{text}: {:?}", found.forging);
    }
    let fair = "import os\nclass Engine:\n    def abort(self):\n        return os.path.join('a', 'b')\ndef stop(engine):\n    engine.abort()\n";
    let found = surface("ending-fair", fair);
    assert!(found.forging.is_empty(), "{:?}", found.forging);
}

#[test]
fn s5_6_neither_another_way_to_sys_nor_a_taken_name_hides_what_binds_names() {
    for (case, text) in [
        (
            "taken",
            "def _x(globals): pass\n_g = globals\n_g()['backdoor'] = 1\n",
        ),
        (
            "chain",
            "import os\nos.sys.modules[__name__].__dict__['backdoor'] = 1\n",
        ),
        ("other-name", "import os\n_s = os.sys\n"),
        ("from", "from os import sys as _s\n_s.modules\n"),
        ("dict", "import json as _j\n_j.__dict__['x'] = 1\n"),
    ] {
        let found = surface(&format!("sys-{case}"), text);
        assert!(!found.unseen.is_empty(), "{text}");
    }
    let fair = "class Order:\n    def __init__(self, a):\n        self.__dict__['a'] = a\n";
    assert!(surface("sys-fair", fair).unseen.is_empty());
}

#[test]
fn s5_6_what_python_runs_is_what_was_read() {
    let wrong = [
        (
            "escape",
            "# coding: unicode_escape\n# \\x0aimport os; os._exit(0)\ndef parse(text: str) -> int: pass\n",
        ),
        (
            "utf7",
            "# coding: utf-7\n# +AAo-import os+ADs- os._exit(0)\ndef parse(text: str) -> int: pass\n",
        ),
        (
            "second-line",
            "#!/usr/bin/python3\n# vim: set fileencoding=utf-16 :\ndef parse(text: str) -> int: pass\n",
        ),
    ];
    for (case, text) in wrong {
        match run(case, text) {
            Said::Broken { broken } => assert!(broken.contains("write it in UTF-8"), "{broken}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    for (case, text) in [
        (
            "said-utf8",
            "# -*- coding: utf8 -*-\ndef parse(text: str) -> int: return 'ü'\n",
        ),
        (
            "said-ascii",
            "# coding: us-ascii\ndef parse(text: str) -> int: pass\n",
        ),
        ("with-mark", "\u{feff}def parse(text: str) -> int: pass\r\n"),
    ] {
        assert!(surface(case, text).get("parse").is_some(), "{text}");
    }
}

#[test]
fn s5_6_code_that_nobody_can_read_is_named() {
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("surface-compiled/pk");
    for name in [
        "_core.pyc",
        "deep/_fast.abi3.so",
        "__pycache__/__init__.cpython-312.pyc",
    ] {
        let path = top.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, [0x55, 0x0d, 0xff]).unwrap();
    }
    std::fs::write(top.join("table.csv"), "1;2\n").unwrap();
    let found = surface("compiled", "def parse(text: str) -> int: pass\n");
    let places: Vec<&str> = found.forging.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(
        places,
        [
            "_core.pyc",
            "__pycache__/__init__.cpython-312.pyc",
            "deep/_fast.abi3.so"
        ]
    );
    assert!(found.forging.iter().all(|one| one.what == "compiled code"));
}

#[test]
fn s5_4_the_ways_from_a_module_in_python_to_the_frames_of_its_tests_are_named() {
    for (case, text) in [
        ("gc", "import gc\ndef f(): return gc.get_objects()\n"),
        ("gc-from", "from gc import get_referrers as g\n"),
        ("classes", "def f(): return object.__subclasses__()\n"),
        ("stack", "import inspect\ndef f(): return inspect.stack()\n"),
        (
            "traceback",
            "def f():\n    try: raise ValueError\n    except ValueError as e: return e.__traceback__.tb_frame\n",
        ),
        ("back", "def f(a): return a.f_back\n"),
        ("trace", "import sys\ndef f(): sys.settrace(None)\n"),
    ] {
        assert!(
            !surface(&format!("frames-{case}"), text).unseen.is_empty(),
            "{text}"
        );
    }
    let honest = "import gc\nimport inspect\ndef f(a):\n    gc.collect()\n    return inspect.signature(a), a.stack, a.trace()\n";
    assert_eq!(surface("frames-honest", honest).unseen, []);
}
