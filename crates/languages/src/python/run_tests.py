"""Runs `tests/test_*.py` with unittest and writes a JUnit report to $PROOFHOUSE_REPORT: methods of
test cases, and plain functions whose names begin with `test_`, as pytest would. It is for machines
without pytest. An expected failure is reported as skipped: it shows nothing.
"""

import asyncio
import importlib.util
import inspect
import os
import sys
import traceback
import unittest
from xml.sax.saxutils import quoteattr

REPORT = os.environ["PROOFHOUSE_REPORT"]


class Plain(unittest.TestCase):
    """A function as a test case."""

    def __init__(self, module, function):
        super().__init__("run_it")
        self.module, self.function = module, function

    def id(self):
        return self.module + "." + self.function.__name__

    def run_it(self):
        found = self.function()
        if inspect.iscoroutine(found):
            asyncio.run(found)


class Results(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.cases = {}

    def say(self, test, tag, message):
        name = test.id()
        if tag is not None or name not in self.cases:
            self.cases[name] = (tag, message)

    def told(self, error):
        return "".join(traceback.format_exception(*error))

    def startTest(self, test):
        super().startTest(test)
        self.say(test, "error", "it did not end")

    def addSuccess(self, test):
        if self.cases.get(test.id()) == ("error", "it did not end"):
            self.cases[test.id()] = (None, "")

    def addError(self, test, error):
        self.say(test, "error", self.told(error))

    def addFailure(self, test, error):
        self.say(test, "failure", self.told(error))

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.say(test, "failure", self.told(error))

    def addSkip(self, test, reason):
        self.say(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.say(test, "skipped", "expected to fail")

    def addUnexpectedSuccess(self, test):
        self.say(test, "failure", "it was expected to fail")


def files():
    for top, folders, names in sorted(os.walk("tests")):
        folders.sort()
        for name in sorted(names):
            if name.startswith("test_") and name.endswith(".py"):
                yield os.path.join(top, name)


def main():
    sys.path.insert(0, os.path.abspath("tests"))
    suite, broken = unittest.TestSuite(), []
    for path in files():
        name = path[:-3].replace(os.sep, ".")
        try:
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            suite.addTests(unittest.TestLoader().loadTestsFromModule(module))
            for key, value in list(vars(module).items()):
                own = inspect.isfunction(value) and value.__module__ == name
                if own and key.startswith("test_"):
                    suite.addTest(Plain(name, value))
        except BaseException:
            broken.append((name, traceback.format_exc()))
    count = suite.countTestCases() + len(broken)
    results = Results()
    suite.run(results)
    lines = ['<testsuite name="tests" tests="%d">' % count]
    for name, (tag, message) in results.cases.items():
        group, _, own = name.rpartition(".")
        lines.append("<testcase classname=%s name=%s>" % (quoteattr(group), quoteattr(own)))
        if tag is not None:
            lines.append("<%s message=%s/>" % (tag, quoteattr(clean(message))))
        lines.append("</testcase>")
    for name, message in broken:
        text = clean(message).replace("&", "&amp;").replace("<", "&lt;")
        lines.append('<testcase classname="" name=%s>' % quoteattr(name))
        lines.append('<error message="collection failure">%s</error></testcase>' % text)
    lines.append("</testsuite>")
    with open(REPORT, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    # Skips are in the report; whoever reads it judges them.
    good = not broken and all(tag in (None, "skipped") for tag, _ in results.cases.values())
    sys.stdout.flush()
    os._exit(0 if good else 1)


def clean(text):
    """Without characters that XML has no place for; the end of a trace says most."""
    return "".join(c for c in text[-2000:] if c in "\n\t" or 32 <= ord(c) < 0xD800)


main()
