"""Reads what a Python package makes public, puts stubs into it, or looks for tests that reach past
its surface. It parses and never imports: nothing of the package runs. JSON goes to standard output.

Usage: surface.py surface|stub|nothing|anything|tests FOLDER PACKAGE [USED_PACKAGE...]
A used package that begins with `!` is there because others use it: the package itself may not.
"""

import ast
import builtins
import codecs
import importlib.machinery
import importlib.util
import io
import json
import os
import platform
import re
import sys
import tokenize

STUB = "this is a stub"
ENUMS = {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}
DYNAMIC = {
    "exec",
    "eval",
    "globals",
    "locals",
    "vars",
    "setattr",
    "delattr",
    "import_module",
    "__import__",
    "__builtins__",
}
# From each of these one comes to the names of a module, and may set them.
FRAMES = {
    "f_globals",
    "f_locals",
    "f_back",
    "tb_frame",
    "gi_frame",
    "cr_frame",
    "ag_frame",
    "__globals__",
    "__builtins__",
    "__subclasses__",
    "_getframe",
    "_current_frames",
    "currentframe",
}
LOADERS = {
    "sys": {"modules", "_getframe", "_current_frames", "settrace", "setprofile"},
    "gc": {"get_objects", "get_referrers", "get_referents"},
    "builtins": DYNAMIC - {"exec", "eval"},
    "importlib": {"import_module"},
    "inspect": {"currentframe", "stack", "trace", "getouterframes", "getinnerframes"},
}
# With these a module ends the process that its tests run in, or puts another program in its place,
# and with the report in its hand it decides its own tests.
ENDINGS = {
    "_exit",
    "abort",
    "kill",
    "killpg",
    "fork",
    "forkpty",
    "posix_spawn",
    "posix_spawnp",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execv",
    "execve",
    "execvp",
    "execvpe",
}
OUTSIDE = {"ctypes", "cffi", "posix", "nt", "unittest", "pytest", "_pytest"}
REPORT = "PROOFHOUSE_REPORT"
BLOCKS = tuple(
    getattr(ast, name)
    for name in "If For AsyncFor While With AsyncWith Try TryStar Match".split()
    if hasattr(ast, name)
)
# Decorators that leave a function's parameters and a class's members what they are.
DECORATORS = {
    "abstractmethod",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "dataclass",
    "final",
    "lru_cache",
    "overload",
    "override",
    "property",
    "setter",
    "staticmethod",
    "total_ordering",
    "unique",
    "wraps",
}
INNER = {"__globals__", "__code__", "__closure__", "__wrapped__", "__dict__"}


def is_private(name):
    return name.startswith("_")


def files_of(folder):
    for top, folders, names in sorted(os.walk(folder)):
        folders[:] = sorted(one for one in folders if one != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(top, name)
                yield os.path.relpath(path, folder).replace(os.sep, "/"), path


def parse(path, name):
    """The bytes, as Python itself would read them: in another encoding a comment can be code."""
    with open(path, "rb") as file:
        text = file.read()
    encoding = tokenize.detect_encoding(io.BytesIO(text).readline)[0]
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig", "ascii"):
        raise ValueError("%s says that it is in %s; write it in UTF-8" % (name, encoding))
    text.decode("utf-8")
    return ast.parse(text, name)


def compiled(folder):
    """What Python would run in the place of a text, and nobody can read."""
    endings = tuple(set(importlib.machinery.all_suffixes()) - {".py"})
    for top, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(endings) or os.path.basename(top) == "__pycache__":
                yield os.path.relpath(os.path.join(top, name), folder).replace(os.sep, "/")


def last_name(node):
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def statements(body):
    """Every statement that binds names where the body is, those inside of blocks among them."""
    for one in body:
        yield one
        if isinstance(one, BLOCKS):
            yield from statements(getattr(one, "body", []))
            for part in getattr(one, "handlers", []) + getattr(one, "cases", []):
                yield part
                yield from statements(part.body)
            yield from statements(getattr(one, "orelse", []))
            yield from statements(getattr(one, "finalbody", []))


def own_nodes(one):
    """The nodes of a statement, or of a block's head, without its statements."""
    for name, value in ast.iter_fields(one):
        if name in ("body", "orelse", "finalbody", "handlers", "cases"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from ast.walk(part)


class Package:
    def __init__(self, folder, name, used):
        self.folder, self.name = folder, name
        self.used = {one for one in used if not one.startswith("!")}
        self.beyond = {one[1:] for one in used if one.startswith("!")}
        self.undeclared, self.implied = [], []
        self.modules, self.unseen, self.raises, self.aliases = {}, [], set(), {}
        self.forging = [
            {"file": path, "line": 1, "what": "compiled code"} for path in compiled(folder)
        ]
        for path, full in files_of(folder):
            parts = path[:-3].split("/")
            if parts[-1] == "__init__":
                parts.pop()
            dotted = ".".join([name] + parts)
            self.modules[dotted] = Module(self, dotted, path, parse(full, path))

    def resolve(self, module, name, depth=0):
        """Where a name is defined: (module, statement), a foreign package, or nothing."""
        here = self.modules.get(module)
        if here is None or depth > 16:
            return None
        if name in here.defined:
            return here, here.defined[name]
        if name in here.imported:
            source, original = here.imported[name]
            if source.split(".")[0] != self.name:
                return source.split(".")[0], None
            if source + "." + original in self.modules:
                return None
            return self.resolve(source, original, depth + 1)
        return None

    def is_exception(self, module, node, depth=0):
        for base in node.bases:
            name = last_name(base)
            known = getattr(builtins, name, None)
            if isinstance(known, type) and issubclass(known, BaseException):
                return True
            found = self.resolve(module.dotted, name) if depth < 16 else None
            if found and isinstance(found[1], ast.ClassDef):
                if self.is_exception(found[0], found[1], depth + 1):
                    return True
            elif name.endswith(("Error", "Exception")):
                return True
        return False


class Module:
    def __init__(self, package, dotted, path, tree):
        self.package, self.dotted, self.path, self.tree = package, dotted, path, tree
        self.defined, self.imported, self.named = {}, {}, None
        self.lines = {}
        self.stars = []
        is_package = path.endswith("__init__.py")
        for one in statements(tree.body):
            self.statement(one, is_package)
        self.modules = {
            pair
            for one in ast.walk(tree)
            if isinstance(one, ast.Import)
            for alias in one.names
            # `import os.path` binds `os`.
            for pair in (
                ((alias.asname or alias.name), alias.name),
                ((alias.asname or alias.name.split(".")[0]), alias.name.split(".")[0]),
            )
        }
        # A parameter is its function's own, there and nowhere else.
        self.own = {
            id(name)
            for one in ast.walk(tree)
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for taken in [{each.arg for each in ast.walk(one.args) if isinstance(each, ast.arg)}]
            for part in (one.body if isinstance(one.body, list) else [one.body])
            for name in (ast.walk(part) if taken & DYNAMIC else [])
            if isinstance(name, ast.Name) and name.id in taken
        }
        calls = [one.func for one in ast.walk(tree) if isinstance(one, ast.Call)]
        self.called = {one.id for one in calls if isinstance(one, ast.Name)}
        for one in ast.walk(tree):
            self.anywhere(one)
            if isinstance(one, ast.Raise) and one.exc is not None:
                package.raises.add(last_name(one.exc))

    def is_module(self, node, name):
        """Is it that module, by whatever name?"""
        return isinstance(node, ast.Name) and (node.id, name) in self.modules

    def unseen(self, node, what):
        self.package.unseen.append({"file": self.path, "line": node.lineno, "what": what})

    def bind(self, name, one):
        """The last binding of a name is what callers find."""
        self.imported.pop(name, None)
        self.package.aliases.pop(name, None)
        self.defined.pop(name, None)
        self.defined[name] = one

    def is_own(self, name):
        source = self.imported.get(name, ("", ""))[0]
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        return source.split(".")[0] == self.package.name or isinstance(
            self.defined.get(name), kinds
        )

    def head(self, one):
        """What a block binds before its statements: `for` targets, `with ... as`, patterns."""
        for node in own_nodes(one):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.bind(node.id, node)
            elif type(node).__name__ in ("MatchAs", "MatchStar") and node.name:
                self.bind(node.name, node)

    def forges(self, node, what):
        self.package.forging.append({"file": self.path, "line": node.lineno, "what": what})

    def ending(self, one):
        """What could decide the module's own tests."""
        if isinstance(one, ast.Attribute) and one.attr in ENDINGS and (
            one.attr == "_exit" or self.is_module(one.value, "os")
        ):
            self.forges(one, ast.unparse(one))
        elif isinstance(one, ast.ImportFrom) and not one.level and (
            one.module.split(".")[0] in OUTSIDE
            or one.module == "os"
            and any(alias.name in ENDINGS | {"*"} for alias in one.names)
        ):
            self.forges(one, ast.unparse(one))
        elif isinstance(one, ast.Import) and any(
            alias.name.split(".")[0] in OUTSIDE for alias in one.names
        ):
            self.forges(one, ast.unparse(one))
        elif isinstance(one, ast.Call) and last_name(one.func) == "getattr" and one.args and (
            self.is_module(one.args[0], "os")
        ):
            self.forges(one, ast.unparse(one))
        elif isinstance(one, ast.Constant) and one.value == REPORT:
            self.forges(one, REPORT)

    def reaching(self, one):
        """Imports of what only the modules that it uses depend on."""
        sources = []
        if isinstance(one, ast.Import):
            sources = [alias.name for alias in one.names]
        elif isinstance(one, ast.ImportFrom) and not one.level:
            sources = [one.module]
        for source in sources:
            root = source.split(".")[0]
            if root in self.package.beyond:
                place = {"file": self.path, "line": one.lineno, "what": root}
                self.package.undeclared.append(place)

    def anywhere(self, one):
        """What may bind names from wherever it stands, functions included."""
        self.ending(one)
        self.reaching(one)
        called = isinstance(one, ast.Call) and last_name(one.func)
        if called and called in DYNAMIC:
            self.unseen(one, "`" + called + "`")
        elif isinstance(one, ast.Name) and one.id in DYNAMIC - self.called and id(one) not in self.own:
            # Under another name it does the same, and who takes its name hides who else uses it.
            self.unseen(one, "`" + one.id + "`")
        elif isinstance(one, ast.Attribute) and one.attr in FRAMES:
            self.unseen(one, "`" + one.attr + "`")
        elif isinstance(one, ast.Attribute) and one.attr in LOADERS:
            # `os.sys` is `sys`.
            self.unseen(one, "`" + ast.unparse(one) + "`")
        elif isinstance(one, ast.Attribute) and one.attr == "__dict__" and not (
            isinstance(one.value, ast.Name) and one.value.id in ("self", "cls")
        ):
            self.unseen(one, "`" + ast.unparse(one) + "`")
        elif isinstance(one, ast.ImportFrom) and not one.level and any(
            alias.name in LOADERS for alias in one.names
        ):
            self.unseen(one, "`" + ast.unparse(one) + "`")
        elif isinstance(one, ast.Attribute) and any(
            self.is_module(one.value, name) and one.attr in inner
            for name, inner in LOADERS.items()
        ):
            self.unseen(one, "`" + ast.unparse(one) + "`")
        elif called == "getattr" and one.args and any(
            self.is_module(one.args[0], name) for name in LOADERS
        ):
            self.unseen(one, "`" + ast.unparse(one) + "`")
        elif isinstance(one, ast.ImportFrom) and not one.level and one.module in LOADERS:
            for alias in one.names:
                if alias.name in LOADERS[one.module] | {"*"}:
                    self.unseen(one, "`" + one.module + "." + alias.name + "`")
        elif isinstance(one, ast.Global) and not all(is_private(name) for name in one.names):
            self.unseen(one, "`global`")
        elif isinstance(one, ast.Attribute) and isinstance(one.ctx, (ast.Store, ast.Del)):
            owner = one.value
            if isinstance(owner, ast.Name) and self.is_own(owner.id):
                self.unseen(one, "`" + owner.id + "." + one.attr + "`, which is set from outside,")

    def statement(self, one, is_package):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bind(one.name, one)
            if one.name == "__getattr__":
                self.unseen(one, "`__getattr__`")
            self.decorators(one)
            if isinstance(one, ast.ClassDef):
                for inner in statements(one.body):
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.decorators(inner)
            return
        if isinstance(one, BLOCKS) or type(one).__name__ in ("ExceptHandler", "match_case"):
            self.head(one)
            return
        for node in own_nodes(one):
            if isinstance(node, ast.NamedExpr):
                self.bind(node.target.id, one)
        if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            for target in targets:
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                for part in parts:
                    for name in ast.walk(part):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            self.assigned(name.id, one)
        elif isinstance(one, ast.Import):
            for alias in one.names:
                bound = (alias.asname or alias.name).split(".")[0]
                self.bring(bound, alias.name, "")
                self.lines[bound] = one.lineno
        elif isinstance(one, ast.ImportFrom):
            self.import_from(one, is_package)

    def decorators(self, one):
        """A decorator may put anything in the place of what it decorates."""
        if is_private(one.name):
            return
        for each in one.decorator_list:
            if last_name(each) not in DECORATORS:
                self.unseen(each, "what the decorator `" + ast.unparse(each) + "` makes")

    def assigned(self, name, one):
        if name != "__all__":
            self.bind(name, one)
            value = getattr(one, "value", None)
            if re.match(r"[A-Z]\w*[a-z]", name) and isinstance(
                value, (ast.Subscript, ast.Name, ast.Attribute, ast.BinOp)
            ):
                self.package.aliases[name] = [[], ast.unparse(value)]
            return
        value = getattr(one, "value", None)
        plain = isinstance(one, ast.Assign) and isinstance(value, (ast.List, ast.Tuple))
        if plain and all(isinstance(part, ast.Constant) for part in value.elts):
            self.named = [str(part.value) for part in value.elts]
        else:
            self.unseen(one, "an `__all__` that is computed")

    def import_from(self, one, is_package):
        source = one.module or ""
        if one.level:
            above = self.dotted.split(".")
            drop = one.level - (1 if is_package else 0)
            above = above[: len(above) - drop] if drop else above
            source = ".".join(above + ([one.module] if one.module else []))
        for alias in one.names:
            if alias.name == "*":
                self.stars.append((source, one))
            else:
                self.bring(alias.asname or alias.name, source, alias.name)
                self.lines[alias.asname or alias.name] = one.lineno

    def bring(self, name, source, original):
        self.defined.pop(name, None)
        self.package.aliases.pop(name, None)
        self.imported.pop(name, None)
        self.imported[name] = (source, original)

    def public(self, depth=0):
        """The names that it makes public, in order."""
        if self.named is not None:
            return list(dict.fromkeys(self.named))
        ours = {self.package.name} | self.package.used
        names = [one for one in self.defined if not is_private(one)]
        for name, (source, original) in self.imported.items():
            whole = source + "." + original if original else source
            inside = source.split(".")[0] in ours and whole not in self.package.modules
            if inside and original and not is_private(name):
                names.append(name)
        for source, node in self.stars:
            other = self.package.modules.get(source)
            if other is None or depth > 16:
                self.unseen(node, "`from " + source + " import *`")
            else:
                for name in other.public(depth + 1):
                    self.imported.setdefault(name, (source, name))
                    names.append(name)
        return list(dict.fromkeys(names))


def parameters(arguments, skip_first):
    positional = arguments.posonlyargs + arguments.args
    required = len(positional) - len(arguments.defaults)
    found = []
    for at, one in enumerate(positional):
        found.append(parameter(one, "required" if at < required else "optional"))
    if skip_first:
        found = found[1:]
    if arguments.vararg:
        found.append(parameter(arguments.vararg, "rest"))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append(parameter(one, "required" if default is None else "optional"))
    if arguments.kwarg:
        found.append(parameter(arguments.kwarg, "rest"))
    return found


def parameter(one, need):
    written = ast.unparse(one.annotation) if one.annotation else None
    return {"name": one.arg, "type": written, "need": need}


def fields(node):
    found = {}
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found[one.target.id] = (ast.unparse(one.annotation), one.lineno)
        elif isinstance(one, ast.FunctionDef) and one.name == "__init__":
            types = {each["name"]: each["type"] for each in parameters(one.args, True)}
            for each in ast.walk(one):
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    if isinstance(each.value, ast.Name) and each.value.id == "self":
                        found.setdefault(each.attr, (types.get(each.attr), each.lineno))
    members = [(name, *rest) for name, rest in found.items() if not is_private(name)]
    return [{"name": name, "type": written, "line": line} for name, written, line in members]


def kind_of(package, module, node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {
            "is": "function",
            "parameters": parameters(node.args, False),
            "returns": ast.unparse(node.returns) if node.returns else None,
            "call": "async" if isinstance(node, ast.AsyncFunctionDef) else "sync",
        }
    if isinstance(node, ast.ClassDef):
        if package.is_exception(module, node):
            return {"is": "exception"}
        if any(last_name(base) in ENUMS for base in node.bases):
            members = [
                {"name": target.id, "type": None, "line": one.lineno}
                for one in node.body
                if isinstance(one, ast.Assign)
                for target in one.targets
                if isinstance(target, ast.Name) and not is_private(target.id)
            ]
            return {"is": "choice", "variants": members}
        return {"is": "record", "fields": fields(node)}
    return {"is": "constant"}


def surface(package):
    items, seen = [], set()
    for dotted, module in package.modules.items():
        if any(is_private(part) for part in dotted.split(".")[1:]):
            continue
        for name in module.public():
            found = package.resolve(dotted, name)
            if found is None:
                if dotted + "." + name not in package.modules:
                    module.unseen(module.tree.body[0], "`" + name + "`, which is not found,")
                continue
            if found[1] is None:
                kind = {"is": "foreign", "from": found[0]}
                line = module.lines.get(name, 1)
                items.append({"name": name, "file": module.path, "line": line, "kind": kind})
                if module.named is None:
                    what = "`" + name + "` of `" + found[0] + "`"
                    package.implied.append({"file": module.path, "line": line, "what": what})
                continue
            where, node = found
            key = (where.path, node.lineno, name)
            if key in seen:
                continue
            seen.add(key)
            kind = kind_of(package, where, node)
            if name in package.aliases and kind["is"] == "constant":
                kind = {"is": "alias"}
            items.append({"name": name, "file": where.path, "line": node.lineno, "kind": kind})
            if isinstance(node, ast.ClassDef):
                for one in node.body:
                    method = isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
                    if method and not is_private(one.name):
                        kind = {"is": "method", "of": name}
                        whole = name + "." + one.name
                        place = {"file": where.path, "line": one.lineno}
                        items.append({"name": whole, **place, "kind": kind})
    items.sort(key=lambda item: (item["file"], item["line"], item["name"]))
    has_pytest = importlib.util.find_spec("pytest") is not None
    return {
        "surface": {
            "items": items,
            "unseen": package.unseen,
            "forging": package.forging,
            "raises": sorted(package.raises),
            "aliases": package.aliases,
            "undeclared": package.undeclared,
            "implied": package.implied,
        },
        "runner": "%s with Python %s"
        % ("pytest" if has_pytest else "unittest", platform.python_version()),
    }


STUBS = {
    "stub": "raise NotImplementedError(" + repr(STUB) + ")",
    "nothing": "return None",
    "anything": "return object()",
}


def stub(folder, text):
    """Every public function and method does this as its first act, and nothing else."""
    count = 0
    for path, full in files_of(folder):
        tree = parse(full, path)
        bodies = [tree.body] + [
            one.body for one in statements(tree.body) if isinstance(one, ast.ClassDef)
        ]
        for body in bodies:
            for one in statements(body):
                is_function = isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
                if is_function and not is_private(one.name):
                    one.body.insert(0, ast.parse(text).body[0])
                    count += 1
        with open(full, "w", encoding="utf-8") as file:
            file.write(ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    return {"stubs": count}


def inner(name):
    return (is_private(name) and not name.startswith("__")) or name in INNER


def tests(folder, package):
    """Places in tests that reach past the surface."""
    found = []
    own = re.escape(package.name)
    by_text = re.compile(r"\b" + own + r"(\.\w+)*\._[a-zA-Z]|implementation/|\b" + own + r"/")
    for path, full in files_of(folder):
        tree = parse(full, "tests/" + path)
        say = lambda node, by: found.append({"file": path, "line": node.lineno, "by": by})
        bound = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == package.name:
                        bound.add((alias.asname or alias.name).split(".")[0])
                        if any(is_private(part) for part in alias.name.split(".")):
                            say(node, "`" + alias.name + "`, which is private")
            elif isinstance(node, ast.ImportFrom):
                source = node.module or ""
                if source.split(".")[0] != package.name:
                    continue
                module = package.modules.get(source)
                public = set(module.public()) if module else set()
                for alias in node.names:
                    whole = source + "." + alias.name
                    bound.add(alias.asname or alias.name)
                    private = any(is_private(part) for part in whole.split("."))
                    known = alias.name in public or whole in package.modules or alias.name == "*"
                    if private or not known:
                        say(node, "`" + whole + "`, which is private")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                root = node
                while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
                    root = root.func if isinstance(root, ast.Call) else root.value
                if isinstance(root, ast.Name) and root.id in bound and inner(node.attr):
                    say(node, "`" + root.id + "." + node.attr + "`, which is private")
                if node.attr in ("getsource", "getsourcelines", "getsourcefile"):
                    say(node, "`" + node.attr + "`")
            elif isinstance(node, ast.Call) and last_name(node.func) in ("getattr", "setattr"):
                for one in node.args[1:2]:
                    text = one.value if isinstance(one, ast.Constant) else ""
                    if isinstance(text, str) and inner(text):
                        say(node, "`" + text + "`, which is private")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if by_text.search(node.value):
                    say(node, "the text " + json.dumps(node.value[:80]))
    found.sort(key=lambda one: (one["file"], one["line"], one["by"]))
    return {"reaches": found}


def main():
    mode, folder, name, *used = sys.argv[1:]
    try:
        home = os.path.join(folder, name)
        if mode in STUBS:
            said = stub(home, STUBS[mode])
        else:
            package = Package(home, name, used)
            said = surface(package) if mode == "surface" else tests(folder + "/tests", package)
    except SyntaxError as error:
        said = {"broken": "%s:%s: %s" % (error.filename, error.lineno, error.msg)}
    except UnicodeDecodeError as error:
        said = {"broken": "a file is not UTF-8: %s" % error}
    except (RecursionError, MemoryError):
        said = {"broken": "an expression is nested too deep; write it in smaller pieces"}
    except ValueError as error:
        said = {"broken": "a file cannot be read as Python: %s" % error}
    print(json.dumps(said))


main()
