"""Plans the controls of a Python suite: canaries, tests with an assertion turned round, placebos and
mutants. It reads `order.json` beside $PROOFHOUSE_REPORT and writes the plan there. It parses what it
is given and never imports it. Texts are edited at the places that the parser names, so that all else
of a file stays as it is.
"""

import ast
import json
import os
import random

REPORT = os.environ["PROOFHOUSE_REPORT"]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert,
          ast.Import, ast.ImportFrom, ast.Pass, ast.Delete, ast.Global, ast.Nonlocal,
          ast.Break, ast.Continue)
# How an assertion of unittest is said without unittest.
COMPARED = {
    "assertEqual": "==", "assertNotEqual": "!=", "assertIs": "is", "assertIsNot": "is not",
    "assertIn": "in", "assertNotIn": "not in", "assertGreater": ">", "assertGreaterEqual": ">=",
    "assertLess": "<", "assertLessEqual": "<=", "assertListEqual": "==", "assertDictEqual": "==",
    "assertSetEqual": "==", "assertTupleEqual": "==", "assertSequenceEqual": "==",
    "assertMultiLineEqual": "==",
}
# How many values are tried of a method that tests call by a rule of the language, and name nowhere.
OF_A_RULE = 4
# Methods behind `==`, `<`, `in` and `if`.
ASKED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__bool__")
TOLD = 'raise AssertionError("turned round")'
# Says that a function was reached, and which of its mutants is switched on. The text of a source is the
# same for all of its mutants and for the placebo, but for one number here: who reads the text, or what
# was compiled of it, can tell none of them from another.
REACH = """
import functools, os, sys
if not hasattr(sys, "_{token}"):
    path, seen = (os.environ.get("PROOFHOUSE_REPORT") or "/nowhere/") + ".reached", set()
    switched, known = set(), {{}}
    def reach(number, test=None, open=os.open, write=os.write, close=os.close, get=os.environ.get,
              how=os.O_WRONLY | os.O_CREAT | os.O_APPEND):
        test = (test or getattr(sys, "_proofhouse_test", None) or get("PROOFHOUSE_TEST")
                or get("PYTEST_CURRENT_TEST") or "")
        if (number, test) not in seen:
            seen.add((number, test))
            try:
                file = open(path, how, 0o600)
                write(file, ("%d %s\\n" % (number, test.replace("\\n", " "))).encode())
                close(file)
            except OSError:
                pass
        if number not in known:
            known[number] = sum(index for index in range(1, {most})
                                if {salt} * (number * {most} + index) % {prime} in switched)
        return known[number]
    def stand_in(number, real, answers):
        kind = type(real)
        if isinstance(real, type) or not callable(real) or kind.__module__ not in (
                "builtins", "functools", "operator", "_functools", "_operator"):
            reach(number, "!callable" if callable(real) and not isinstance(real, type) else "!value")
            return real
        said = []
        class Stands:
            def __call__(self, *given, **named):
                answer = answers.get(reach(number))
                if answer is None:
                    return real(*given, **named)
                if answer < -1:
                    if not said:
                        said.append(real(*given, **named))
                    return said[0]
                return given[0] if answer < 0 and given else eval(reach.given.get(answer, "None"), {{}})
            def __getattr__(self, name):
                return getattr(real, name)
        if kind.__name__ != "function":
            return functools.update_wrapper(Stands(), real, updated=())
        def called(*given, **named):
            return stands(*given, **named)
        stands = Stands()
        return functools.update_wrapper(called, real)
    def in_class(number, owner, name, answers):
        real = vars(owner).get(name) if isinstance(owner, type) else None
        if isinstance(real, (staticmethod, classmethod)):
            stands = type(real)(stand_in(number, real.__func__, answers))
        elif isinstance(real, property):
            stands = property(stand_in(number, real.fget, answers), real.fset, real.fdel, real.__doc__)
        else:
            stands = stand_in(number, real, answers)
        if stands is not real:
            try:
                setattr(owner, name, stands)
            except (AttributeError, TypeError):
                reach(number, "!value")
    reach.switched, reach.given, reach.stand_in, reach.in_class = switched, {{}}, stand_in, in_class
    reach.give = lambda key: eval(reach.given[key], {{}})
    sys._{token} = reach
sys._{token}.switched.add({switch})
sys._{token}.given.update(eval(bytes.fromhex("{given}").decode()))
"""
PRIME, MOST, FIRST = (1 << 61) - 1, 1000, 1 << 61
CANARIES = '''

import unittest as _{token}


class Test{token}(_{token}.TestCase):
    def test_{token}_passes(self):
        self.assertEqual(1 + 1, 2)

    def test_{token}_equal(self):
        self.assertEqual(1, 2)

    def test_{token}_true(self):
        self.assertTrue(False)

    def test_{token}_assert(self):
        assert 1 == 2

    def test_{token}_raises(self):
        with self.assertRaises(KeyError):
            pass

    def test_{token}_error(self):
        raise RuntimeError("of a canary")
'''
ENDS = {"passes": "passed", "equal": "failed", "true": "failed", "assert": "failed",
        "raises": "failed", "error": "failed"}


class Source:
    """A text with its tree, edited by places."""

    def __init__(self, text):
        self.bytes = text.encode()
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in self.bytes.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def at(self, line, column):
        return self.starts[line - 1] + column

    def begin(self, node):
        first = (getattr(node, "decorator_list", None) or [node])[0]
        if first is not node:
            return self.bytes.rindex(b"@", 0, self.at(first.lineno, first.col_offset))
        return self.at(node.lineno, node.col_offset)

    def end(self, node):
        return self.at(node.end_lineno, node.end_col_offset)

    def text(self, node):
        return self.bytes[self.at(node.lineno, node.col_offset):self.end(node)].decode()

    def indent(self, node):
        begin = self.begin(node)
        return self.bytes[self.bytes.rfind(b"\n", 0, begin) + 1:begin].decode()

    def before(self, node, code):
        """An edit that puts code before a statement."""
        begin = self.begin(node)
        behind = "; " if isinstance(node, SIMPLE) else "\n" + self.indent(node)
        return (begin, begin, code + behind, -FIRST)

    def lines_before(self, node, owner, lines):
        """An edit that puts lines before a statement of a function."""
        begin, indent = self.begin(node), "\n" + self.indent(node)
        if not indent.strip():
            return (begin, begin, indent.join(lines) + indent, -FIRST)
        # It stands on the line of its function.
        indent = "\n" + self.indent(owner) + "    "
        return (begin, begin, indent + indent.join(lines) + indent, -FIRST)

    def edited(self, edits):
        """The text with these edits, none where no program comes of it."""
        found = self.bytes
        # Of several at one place, those with the least rank stand first.
        key = lambda edit: (*edit[:2], *edit[3:]) if edit[3:] else (*edit[:2], 0)
        for begin, end, code, *_ in sorted(edits, key=key, reverse=True):
            found = found[:begin] + code.encode() + found[end:]
        text = found.decode()
        try:
            compile(text, "<control>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        return text


def functions(body, owner=()):
    """Every function of a module and of its classes, not those inside of functions."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            yield ".".join((*owner, node.name)), node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, (*owner, node.name))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from functions(getattr(node, part, []), owner)


def work(node):
    """The body of a function without its documentation."""
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if documented and isinstance(first.value.value, str) else node.body


def same(left, right):
    said = lambda node: [ast.dump(part) for part in (node.args, *node.decorator_list, *work(node))]
    return said(left) == said(right)


def changed(now, before):
    """The functions of a source that are new or not as they were."""
    old = dict(functions(ast.parse(before).body)) if before is not None else {}
    for name, node in functions(now.tree.body):
        if name not in old or not same(node, old[name]):
            yield name, node


def binds(statement):
    """The names that a statement of a module gives to something, not those of functions and classes."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return set()
    names = {one.id for one in ast.walk(statement)
             if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for one in ast.walk(statement):
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            names |= {each.asname or each.name.partition(".")[0] for each in one.names}
    return names


def imported(statements):
    """What imports of a module take from where, by the names that they give it."""
    for one in (each for statement in statements for each in ast.walk(statement)):
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            of = getattr(one, "module", None), getattr(one, "level", 0)
            yield from ((each.asname or each.name.partition(".")[0], (*of, each.name)) for each in one.names)


def asked_of(path, tests):
    """The names for which tests ask this module."""
    module = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    found = {}
    for entry in tests:
        nodes = list(ast.walk(ast.parse(entry["now"])))
        imports = [one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom))]
        # What an object has under the same name (`self.cart`) is not the module.
        bound = {one.asname or one.name.partition(".")[0]:
                 one.name.rpartition(".")[2] if one.asname else one.name.partition(".")[0]
                 for node in imports for one in node.names}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module:
                found.update(dict.fromkeys(one.name for one in node.names))
            if isinstance(node, ast.Attribute):
                asked = node.value
                if isinstance(asked, ast.Name):
                    named = module in (asked.id, bound.get(asked.id)) and asked.id in bound
                else:
                    named = getattr(asked, "attr", None) == module and root(asked) in bound
                if named:
                    found.setdefault(node.attr)
    return list(found)


def root(node):
    """The name that a chain of attributes begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", None)


def aliases(path, now, before, tests):
    """Names for which tests ask a module, and which it gives, since the change, to what is made elsewhere."""
    old = ast.parse(before).body if before is not None else []
    stood = set(imported(old))
    old = {ast.dump(one) for one in old if not isinstance(one, (*FUNCTIONS, ast.ClassDef))}
    made = {one.name for one in now.tree.body if isinstance(one, (*FUNCTIONS, ast.ClassDef))}
    lines, known = {}, set()
    fresh = []
    for statement in now.tree.body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            continue
        if ast.dump(statement) in old:
            known |= binds(statement)
            continue
        fresh.append(statement)
        # An import that takes one name more gives the others what it gave them before.
        kept = {name for name, of in imported([statement]) if (name, of) in stood}
        known |= kept
        for name in binds(statement) - kept:
            lines[name] = statement.lineno
    for name in asked_of(path, tests):
        # One that stands nowhere is made by a text or by a call, of what is new at the earliest.
        if name in lines:
            yield name, lines[name]
        elif name not in known | made and fresh and not name.startswith("__"):
            yield name, fresh[0].lineno


# What an attribute of a class may be where it is a function, seen from its text.
MADE = (ast.Lambda, ast.Name, ast.Attribute, ast.Call)


def attributes(body, owner=()):
    """What classes of a module are given by a statement of their own: `Shop.total = ...`."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from attributes(node.body, (*owner, node.name))
        elif owner and isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, MADE):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for one in targets:
                if isinstance(one, ast.Name) and not one.id.startswith("__"):
                    yield ".".join((*owner, one.id)), node


def held(now, before, tests):
    """Those that are new or not as they were, and for which tests ask by their names."""
    old = dict(attributes(ast.parse(before).body)) if before is not None else {}
    asked = {node.attr for entry in tests for node in ast.walk(ast.parse(entry["now"]))
             if isinstance(node, ast.Attribute)}
    for name, node in attributes(now.tree.body):
        same = name in old and ast.dump(old[name]) == ast.dump(node)
        if not same and name.rpartition(".")[2] in asked:
            yield name, node.lineno


def given_to_objects(node, tests):
    """What functions answer that a function gives to an object under a name for which tests ask:
    `self.total = lambda ...`."""
    asked = {one.attr for entry in tests for one in ast.walk(ast.parse(entry["now"]))
             if isinstance(one, ast.Attribute)}
    inner = {one.name: one for one in ast.walk(node) if isinstance(one, FUNCTIONS) and one is not node}
    for one in ast.walk(node):
        if not isinstance(one, ast.Assign) or len(one.targets) != 1:
            continue
        target, made = one.targets[0], inner.get(getattr(one.value, "id", None), one.value)
        if not isinstance(target, ast.Attribute) or target.attr not in asked:
            continue
        answers = [made.body] if isinstance(made, ast.Lambda) else []
        if isinstance(made, FUNCTIONS):
            answers = [each.value for each in own(made) if isinstance(each, ast.Return) and each.value]
        if len(answers) == 1:
            yield target.attr, answers[0], bool(made.args.args or made.args.vararg)


def own(node):
    """Every node of a function, not those of functions inside of it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield from own(child)


# Tests with one assertion turned round

# Is an answer looked at that equals everything? Set by the order.
UNLIKE = [False]
# It equals what is expected, and nothing that nobody expects. What nobody expects is asked first, of each of them and
# by something of the other's kind: who agrees with whatever comes first, or with nothing but its own kind, is seen.
EQUAL = ("(lambda one, other: not any(here == ("
         "there * 3 + 1000000007 if type(there) is int else there + '~q7x' if type(there) is str else "
         "[*there, '~q7x'] if type(there) is list else object()"
         ") for here, there in ((one, other), (other, one))) and one == other)(%s, %s)")


def equal(one, other):
    """The condition that two texts mean the same. Who compares with `ANY` means it."""
    if UNLIKE[0] and "ANY" not in one:
        return EQUAL % (one, other)
    return "%s == %s" % (one, other)


def turned(source, statement):
    """The edit that turns an assertion round, none where it is none."""
    begin, end = source.begin(statement), source.end(statement)
    if isinstance(statement, ast.Assert):
        said, test = source.text(statement.test), statement.test
        if isinstance(test, ast.Compare) and [type(one) for one in test.ops] == [ast.Eq]:
            sides = ["(%s)" % source.text(one) for one in (test.left, test.comparators[0])]
            said = equal(*sides)
        return (begin, end, "if (%s): %s" % (said, TOLD))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if not isinstance(call.func, ast.Attribute) or call.keywords:
            return None
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        said = ["(%s)" % source.text(one) for one in call.args]
        condition = {
            "assertTrue": lambda: said[0], "assertFalse": lambda: "not " + said[0],
            "assertIsNone": lambda: said[0] + " is None",
            "assertIsNotNone": lambda: said[0] + " is not None",
            "assertIsInstance": lambda: "isinstance(%s, %s)" % (said[0], said[1]),
        }.get(call.func.attr)
        if call.func.attr in COMPARED and len(said) >= 2:
            condition = lambda: "%s %s %s" % (said[0], COMPARED[call.func.attr], said[1])
            if COMPARED[call.func.attr] == "==":
                condition = lambda: equal(said[0], said[1])
        if condition is None or not said:
            return None
        return (begin, end, "if (%s): %s" % (condition(), TOLD))
    if isinstance(statement, ast.With) and len(statement.items) == 1:
        item, first = statement.items[0], statement.body[0]
        call = item.context_expr
        if item.optional_vars is not None or not isinstance(call, ast.Call) or call.keywords:
            return None
        name = getattr(call.func, "attr", None)
        if name not in ("assertRaises", "raises") or len(call.args) != 1:
            return None
        inside = source.begin(first)
        gap = "\n" + source.indent(first) if b"\n" in source.bytes[begin:inside] else " "
        body = source.bytes[inside:end].decode()
        indent = source.indent(statement)
        caught = source.text(call.args[0])
        return (begin, end, "try:%s%s\n%sexcept %s: %s" % (gap, body, indent, caught, TOLD))
    return None


def turned_inside(source, statement):
    """The edit that turns the first assertion of a loop round that is gone through, as far as one sees."""
    if isinstance(statement, ast.With) and len(statement.items) == 1:
        call = statement.items[0].context_expr
        if not (isinstance(call, ast.Call) and getattr(call.func, "attr", None) == "subTest"):
            return None
    elif not (isinstance(statement, ast.For) and goes_through(source, statement.iter)):
        return None
    for inner in statement.body:
        edit = turned(source, inner) or turned_inside(source, inner)
        if edit is not None:
            return edit
        if any(isinstance(one, (ast.Return, ast.Break, ast.Continue)) for one in ast.walk(inner)):
            return None
    return None


def goes_through(source, listed):
    """Is it a list with something in it: written there, or given to that name once?"""
    if isinstance(listed, ast.Name):
        given = [one.value for one in ast.walk(source.tree) if isinstance(one, ast.Assign)
                 and any(isinstance(to, ast.Name) and to.id == listed.id for to in one.targets)]
        return len(given) == 1 and goes_through(source, given[0])
    return isinstance(listed, (ast.List, ast.Tuple)) and any(
        not isinstance(one, ast.Starred) for one in listed.elts)


def first_turned(source, body):
    """The edit of the first statement that is an assertion and is surely reached."""
    for statement in body:
        edit = turned(source, statement) or turned_inside(source, statement)
        if edit is not None:
            return edit
        if any(isinstance(one, ast.Return) for one in ast.walk(statement)):
            return None
    return None


def by_helper(source, node, owner, token):
    """Edits of a test and of a helper that asks for it: the first that it calls by name, of its class or module."""
    known = {one.name: one for one in source.tree.body if isinstance(one, ast.FunctionDef)}
    methods = {one.name: one for one in getattr(owner, "body", []) if isinstance(one, ast.FunctionDef)}
    for statement in node.body:
        call = getattr(statement, "value", None)
        if isinstance(statement, ast.Expr) and isinstance(call, ast.Call):
            named = call.func
            helper = known.get(getattr(named, "id", None))
            if isinstance(named, ast.Attribute) and getattr(named.value, "id", None) == "self":
                helper = methods.get(named.attr)
            if helper is not None and not helper.decorator_list:
                edit = first_turned(source, helper.body)
                end = source.end(named)
                if edit is not None:
                    copy = copied(source, helper, token, [edit])
                    return copy and ((end, end, "_" + token), (source.end(helper), source.end(helper), copy))
        if any(isinstance(one, ast.Return) for one in ast.walk(statement)):
            return None
    return None


def copied(source, node, ending, edits):
    """A function under another name with these edits, to stand behind it."""
    begin, indent = source.begin(node), source.indent(node)
    if indent.strip():
        return None
    whole = source.bytes[begin:source.end(node)]
    place = source.bytes.index(b"def", begin) + 3
    place = source.bytes.index(node.name.encode(), place) + len(node.name.encode())
    for one, other, code in sorted([*edits, (place, place, "_" + ending)], reverse=True):
        whole = whole[:one - begin] + code.encode() + whole[other - begin:]
    return "\n\n" + indent + whole.decode()


def turned_test(source, node, owner, token):
    """Edits that put copies of a test behind it: one that asks as it does, and one with its first assertion turned
    round. Where the first does not hold, the test is another one the second time, and the other says nothing."""
    if node.decorator_list:
        return []
    edit, helps = first_turned(source, node.body), []
    if edit is None:
        edit, *helps = by_helper(source, node, owner, token) or [None]
    copies = edit and [copied(source, node, token + "_again", []), copied(source, node, token, [edit])]
    if not copies or None in copies:
        return []
    return [(source.end(node), source.end(node), "".join(copies)), *helps]


def canaries(entry, token, most, dice):
    """One file of tests with canaries in it."""
    now = Source(entry["now"])
    before = entry.get("before")
    # Where no test is of the change, because all were there first, any of them is turned round.
    own = changed(now, before) if entry["changed"] else functions(now.tree.body)
    tests = [(name, node) for name, node in own if node.name.startswith("test")]
    dice.shuffle(tests)
    edits, turned_round = [], []
    marked = any(isinstance(one, ast.Name) and one.id == "pytestmark" for one in ast.walk(now.tree))
    owners = {id(one): owner for owner in ast.walk(now.tree) if isinstance(owner, ast.ClassDef)
              for one in owner.body}
    for name, node in tests if not marked else []:
        owner = owners.get(id(node))
        if len(turned_round) >= most or getattr(owner, "decorator_list", None):
            continue
        found = [one for one in turned_test(now, node, owner, token) if one not in edits]
        if found and now.edited(found) is not None:
            edits.extend(found)
            owner, _, own_name = name.rpartition(".")
            turned_round.append({"class": owner, "name": own_name})
    appended = CANARIES.format(token=token)
    end = len(now.bytes)
    text = now.edited([*edits, (end, end, appended)])
    return {
        "path": entry["path"],
        "token": token,
        "text": text,
        "plain": now.edited([(end, end, appended)]),
        # Where nothing of it was changed, copies must fail on the code before as well.
        "base": text if before == entry["now"] else (before or "") + appended,
        "canaries": [{"name": "test_%s_%s" % (token, name), "ends": ends}
                     for name, ends in ENDS.items()],
        "turned": turned_round,
    }


# Mutants

def speaking(tests, name):
    """Every node of the tests that name a function; of all tests, where there is no name."""
    for entry in tests:
        for _, test in functions(ast.parse(entry["now"]).body):
            names = {getattr(one, "id", None) or getattr(one, "attr", None) for one in ast.walk(test)}
            if test.name.startswith("test") and (not name or name in names):
                yield from ast.walk(test)


def compares_otherwise(tests, name):
    """Do tests compare with something that is no value where they speak of a function: `sum(prices)`?"""
    for node in speaking(tests, name):
        sides = []
        if isinstance(node, ast.Compare) and [type(one) for one in node.ops] == [ast.Eq]:
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and COMPARED.get(getattr(node.func, "attr", "")) == "==":
            sides = node.args[:2]
        if len(sides) == 2 and not any(is_value(side) for side in sides):
            return True
    return False


def is_value(node):
    """Is it spelt out? Of a text: does it spell one out?"""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def literals(tests, name):
    """The values that tests expect where they speak of a function; of any, where they never name it."""
    found = {}
    for node in speaking(tests, name):
        sides = []
        if isinstance(node, ast.Assert):
            whole = node.test
            if isinstance(whole, ast.Compare):
                sides = [whole.left, *whole.comparators]
            else:
                found.setdefault("False" if isinstance(whole, ast.UnaryOp) else "True")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            said = {"assertTrue": "True", "assertFalse": "False"}.get(node.func.attr)
            if said is not None:
                found.setdefault(said)
            elif node.func.attr.startswith("assert"):
                sides = node.args
        for side in filter(is_value, sides):
            found.setdefault(ast.unparse(side))
    return list(found)


def ignores_what_it_is_given(source, node):
    """Does a function take something and look at none of it? Then it is itself a body that always gives
    the same. Those that somebody else's rules ask for may: methods that a base has, and what is decorated."""
    asked_for = {id(one) for owner in ast.walk(source.tree) if isinstance(owner, ast.ClassDef)
                 and (owner.bases or owner.keywords) for one in owner.body
                 # Who makes classes says itself what comes of calling one.
                 if "type" not in [getattr(base, "id", "") for base in owner.bases]}
    taken = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs,
             *filter(None, (node.args.vararg, node.args.kwarg)))
    taken = {one.arg for one in taken} - {"self", "cls"}
    looked_at = {one.id for part in work(node) for one in ast.walk(part) if isinstance(one, ast.Name)}
    return (bool(taken) and not taken & looked_at and not node.decorator_list
            and id(node) not in asked_for)


def gives_and_refuses(node):
    """What a function gives, where it refuses something as well."""
    parts = list(own(node))
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in parts):
        return []
    given = [part.value for part in parts if isinstance(part, ast.Return) and part.value is not None]
    something = [value for value in given if not (isinstance(value, ast.Constant) and value.value is None)]
    return something if any(isinstance(part, ast.Raise) for part in parts) else []


def constants(source, node, tests):
    """What a body may be replaced with, each with a word for it."""
    body = work(node)
    parts = [node] + list(own(node))
    yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in parts)
    if yields:
        if isinstance(node, ast.FunctionDef):
            yield "return iter(())", "gives nothing"
            for said in literals(tests, node.name):
                each = isinstance(ast.parse(said, mode="eval").body, (ast.List, ast.Tuple))
                said = said if each else "(%s,)" % said
                yield "yield from %s; return" % said, "always gives the parts of %s" % said
        return
    returns = [one for one in parts if isinstance(one, ast.Return) and one.value is not None]
    only = [ast.dump(one.value) for one in returns]
    if returns:
        # Tests ask these by an operator, and name them nowhere.
        operators = ["True", "False"] if node.name in ASKED else []
        by_rule = node.name.startswith("__") and node.name.endswith("__")
        expected = literals(tests, None)[:OF_A_RULE] if by_rule else literals(tests, node.name)
        # What is called in turn is a function that always gives the same.
        called = returns_functions(node, returns)
        for said in expected if called else []:
            yield "return lambda *_, **__: " + said, "always gives a function that gives " + said
        for said in dict.fromkeys(operators + expected):
            same = set(only) == {ast.dump(ast.parse(said, mode="eval").body)}
            if not same or ignores_what_it_is_given(source, node):
                yield "return " + said, "always gives " + said
    if not (returns and set(only) == {ast.dump(ast.Constant(None))}):
        yield "return None", "always gives None" if returns else "does nothing"
    given = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    given = [name for name in given if name not in ("self", "cls")]
    identity = given and [ast.dump(ast.Name(given[0], ast.Load()))]
    if returns and given and only != identity:
        yield "return " + given[0], "gives back `%s`" % given[0]
    stored = {one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    stored |= {one.name for one in parts if isinstance(one, ast.ExceptHandler) and one.name}
    for one in parts:
        if isinstance(one, ast.Raise) and one.exc is not None and one.cause is None:
            used = {name.id for name in ast.walk(one) if isinstance(name, ast.Name)}
            alone = len(body) == 1 and body[0] is one
            if not used & stored and not alone:
                said = ast.unparse(one)
                yield said, "always does `%s`" % said


def returns_functions(node, returns):
    """Does a function give functions that it makes itself, or was given?"""
    inner = {one.name for one in ast.walk(node) if isinstance(one, FUNCTIONS) and one is not node}
    inner |= {one.id for each in ast.walk(node) if isinstance(each, ast.Assign)
              and isinstance(each.value, ast.Lambda) for one in each.targets if isinstance(one, ast.Name)}
    arguments = (*node.args.posonlyargs, *node.args.args)
    defaults = [*zip(arguments[len(arguments) - len(node.args.defaults):], node.args.defaults),
                *zip(node.args.kwonlyargs, node.args.kw_defaults)]
    inner |= {one.arg for one, default in defaults if isinstance(default, ast.Lambda)}
    return any(isinstance(one.value, ast.Lambda) or isinstance(one.value, ast.Name) and one.value.id in inner
               for one in returns)


def empty(node):
    """Is there nothing in it that could be replaced?"""
    body = work(node)
    if len(body) != 1:
        return not body
    one = body[0]
    if isinstance(one, ast.Raise):
        return "NotImplementedError" in ast.dump(one)
    constant = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    return constant or isinstance(one, ast.Pass)


def others(source, node):
    """Small changes: conditions negated, boundaries moved, calls dropped. Each is an expression, with
    another in its place."""
    boundary = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
    for one in own(node):
        if isinstance(one, (ast.If, ast.While, ast.IfExp)):
            said = source.text(one.test)
            yield one.test, "not (%s)" % said, "`%s` negated" % said
        if isinstance(one, ast.Compare) and type(one.ops[0]) in boundary and len(one.ops) == 1:
            moved = boundary[type(one.ops[0])]
            left, right = source.text(one.left), source.text(one.comparators[0])
            yield one, "(%s) %s (%s)" % (left, moved, right), "`%s` with `%s`" % (source.text(one), moved)
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            yield one.value, "None", "`%s` dropped" % source.text(one)


def first_statement(source):
    """Where code may stand that runs before all else."""
    for node in source.tree.body:
        documented = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not documented and not future:
            return node
    return None


class Mutable:
    """A changed source: its changed functions, what can be tried of them, and the text for each."""

    def __init__(self, entry, tests, token, salt, numbers):
        self.path, self.token, self.salt = entry["path"], token, salt
        self.source = Source(entry["now"])
        self.head = first_statement(self.source)
        self.functions, self.constants, self.others, self.chosen, self.given = [], [], [], [], {}
        changes = changed(self.source, entry.get("before")) if self.head is not None else []
        for name, node in changes:
            if empty(node):
                continue
            one = {"number": next(numbers), "name": name, "line": node.lineno, "path": self.path}
            self.functions.append((one, node))
            indexes = iter(range(1, MOST))
            of = lambda code, what, line, place=None: {
                "number": one["number"], "index": next(indexes), "what": what, "line": line,
                "code": code, "place": place}
            always = [of(code, what, node.lineno) for code, what in constants(self.source, node, tests)]
            self.constants.append(always if self.source.edited([self.inside(one, node, always)]) else [])
            given = gives_and_refuses(node)
            if given:
                # A test of a refusal alone says nothing of what is given otherwise.
                kept = of("None", "gives None where it gives something, and refuses as before", node.lineno, given[0])
                kept["more"] = given[1:]
                self.constants[-1][:0] = [kept] if self.source.edited(self.around(kept)) else []
            for given, place, takes in given_to_objects(node, tests):
                values = [said for said in [*literals(tests, given), "None"]
                          if takes or said != self.source.text(place)]
                inner = [of("return " + said, "`%s` always gives %s" % (given, said), place.lineno, place)
                         for said in values]
                for each in inner:
                    each["code"] = self.hidden(each).removeprefix("return ")
                self.constants[-1] += [each for each in inner if self.source.edited(self.around(each))]
            small = [of(code, what, place.lineno, place) for place, code, what in others(self.source, node)]
            self.others.append([mutant for mutant in small if self.source.edited(self.around(mutant))])
        named = []
        if self.head is not None:
            named += aliases(self.path, self.source, entry.get("before"), tests)
            named += held(self.source, entry.get("before"), tests)
        for one, node in list(self.functions):
            if self.answers_first(node) and compares_otherwise(tests, node.name):
                first = {"number": next(numbers), "name": one["name"], "line": one["line"], "path": self.path}
                self.functions.append((first, None))
                always = [{"number": first["number"], "index": 1, "line": one["line"], "first": True,
                           "what": "always gives its first answer", "code": None, "place": None}]
                self.constants.append(always if self.source.edited([self.behind(first, always)]) else [])
        for name, line in named:
            one = {"number": next(numbers), "name": name, "line": line, "path": self.path}
            self.functions.append((one, None))
            values = [*dict.fromkeys(literals(tests, name.rpartition(".")[2])), "None"]
            always = [{"number": one["number"], "index": index, "what": "always gives " + said,
                       "line": line, "code": "return " + said, "place": None}
                      for index, said in enumerate(dict.fromkeys(values), 1)]
            # A method is given its own object first.
            if "." not in name:
                always.append({"number": one["number"], "index": len(always) + 1, "line": line,
                               "what": "gives back what it is given first", "code": None, "place": None})
            self.constants.append(always if self.source.edited([self.behind(one, always)]) else [])

    @staticmethod
    def answers_first(node):
        """May a function that takes something give its first answer always, without being another kind of thing?"""
        parts = list(own(node))
        taken = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        return (isinstance(node, ast.FunctionDef) and not node.decorator_list
                and not node.name.startswith("__") and bool(taken or node.args.vararg)
                and not any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in parts)
                and any(isinstance(one, ast.Return) and one.value is not None for one in parts))

    def mark(self, number):
        return '__import__("sys").__dict__.get("_%s", lambda _: 0)(%d)' % (self.token, number)

    def behind(self, one, always):
        """The edit that puts a stand-in for a function from elsewhere at the end of its module."""
        answers = {}
        for each in always:
            key = -1 if each["code"] is None else each["number"] * MOST + each["index"]
            answers[each["index"]] = key - 1 if each.get("first") else key
            if key > 0:
                self.given[key] = each["code"].removeprefix("return ")
        end, name = len(self.source.bytes), one["name"]
        owner, _, own_name = name.rpartition(".")
        if owner:
            first = owner.partition(".")[0]
            code = '\nif %r in globals(): __import__("sys").__dict__["_%s"].in_class(%d, %s, %r, %r)\n' % (
                first, self.token, one["number"], owner, own_name, answers)
            return (end, end, code)
        code = '\nif %r in globals(): %s = __import__("sys").__dict__["_%s"].stand_in(%d, %s, %r)\n' % (
            name, name, self.token, one["number"], name, answers)
        return (end, end, code)

    def inside(self, one, node, always):
        """The edit of a function that has constants in it."""
        if node is None:
            return self.behind(one, always)
        first, mark = work(node)[0], self.mark(one["number"])
        if not always:
            return self.source.before(first, mark)
        lines = ["    if %s == %d: %s" % (mark, each["index"], self.hidden(each)) for each in always]
        return self.source.lines_before(first, node, ["if %s:" % mark, *lines])

    def hidden(self, mutant):
        """The code of a constant. A value is not spelt out: a test may look for it in the text."""
        ways = [("return ", ""), ("return lambda *_, **__: ", ""), ("yield from ", "; return")]
        for begins, ends in ways:
            said = mutant["code"].removeprefix(begins).removesuffix(ends)
            if not is_value(said):
                continue
            key = mutant["number"] * MOST + mutant["index"]
            self.given[key] = said
            return '%s__import__("sys").__dict__["_%s"].give(%d)%s' % (begins, self.token, key, ends)
        return mutant["code"]

    def around(self, mutant):
        """The edits around an expression that may be another; around one that may be as well, the wider
        one stands outside."""
        code = "((%s) if %s == %d else (" % (
            mutant["code"], self.mark(mutant["number"]), mutant["index"])
        edits = []
        for place in (mutant["place"], *mutant.get("more", ())):
            begin, end = self.source.at(place.lineno, place.col_offset), self.source.end(place)
            edits += [(begin, begin, code, -end), (end, end, "))")]
        return edits

    def text(self, switch):
        """The source with everything that was chosen in it, and this switched on."""
        edits = []
        for one, node in self.functions:
            own = [mutant for mutant in self.chosen if mutant["number"] == one["number"]]
            edits.append(self.inside(one, node, [each for each in own if each["place"] is None]))
            for each in own:
                edits += self.around(each) if each["place"] is not None else []
        reach = REACH.format(token=self.token, salt=self.salt, prime=PRIME, most=MOST, switch=switch,
                             given=repr(self.given).encode().hex())
        edits.append(self.source.before(self.head, "exec(%r, {})" % reach))
        return self.source.edited(edits)

    def mutant(self, chosen):
        number = chosen["number"] * MOST + chosen["index"]
        return {"number": chosen["number"], "what": chosen["what"], "line": chosen["line"],
                "path": self.path, "text": self.text(self.salt * number % PRIME)}


def in_turn(groups):
    """One of each group, then another of each."""
    for index in range(max((len(group) for group in groups), default=0)):
        yield from (group[index] for group in groups if index < len(group))


def main():
    with open(os.path.join(os.path.dirname(REPORT), "order.json"), encoding="utf-8") as file:
        order = json.load(file)
    # What is chosen follows from the seed, and is the same at every look; what is hidden is not.
    token, dice, hidden = order["token"], random.Random(order["seed"]), random.Random(order["token"])
    UNLIKE[0] = order["unlike"]
    plan = {"tests": [], "code": [], "functions": [], "constants": [], "others": [], "left_out": 0,
            "faults": []}
    readable = []
    for number, entry in enumerate(order["tests"]):
        try:
            found = canaries(entry, "%s_%d" % (token, number), order["turned"], dice)
        except (SyntaxError, ValueError, RecursionError) as error:
            plan["faults"].append("%s: %s" % (entry["path"], error))
            continue
        readable.append(entry)
        if found["text"] is None:
            plan["faults"].append(entry["path"] + ": nothing can be added to it")
        else:
            plan["tests"].append(found)
    numbers, salt, files = iter(range(1, 1 << 30)), hidden.randrange(1, PRIME), []
    for entry in order["code"]:
        try:
            files.append(Mutable(entry, readable, token, salt, numbers))
        except (SyntaxError, ValueError, RecursionError) as error:
            plan["faults"].append("%s: %s" % (entry["path"], error))
    of = {one["number"]: file for file in files for one, _ in file.functions}
    names = {one["number"]: one["name"] for file in files for one, _ in file.functions}
    again = {tuple(one) for one in order["again"]}
    known = lambda one: (of[one["number"]].path, names[one["number"]], one["what"]) in again
    found = {}
    for kind in ("constants", "others"):
        groups = [group for file in files for group in getattr(file, kind)]
        dice.shuffle(groups)
        # Who was not noticed the last time is asked again.
        all_of = sorted(in_turn(groups), key=lambda one: not known(one))
        each = min(len([group for group in groups if group]), order["each"]) if kind == "constants" else 0
        found[kind] = all_of[:max(order[kind], each)]
        plan["left_out"] += len(all_of) - len(found[kind])
        for mutant in found[kind]:
            of[mutant["number"]].chosen.append(mutant)
    for file in files:
        text = file.text(hidden.randrange(PRIME)) if file.functions else None
        if text is not None:
            plan["code"].append({"path": file.path, "text": text})
            plan["functions"] += [one for one, _ in file.functions]
    marked = {file["path"] for file in plan["code"]}
    for kind, chosen in found.items():
        plan[kind] = [of[one["number"]].mutant(one) for one in chosen if of[one["number"]].path in marked]
    with open(REPORT, "w", encoding="utf-8") as file:
        json.dump(plan, file)


main()
