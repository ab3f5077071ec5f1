"""Runs `unittest` as `python -m unittest ARGUMENTS` does, and writes a JUnit report to
$PROOFHOUSE_REPORT that names every test that was found. It imports all that it needs before the
tree's own folder is on the path, and ends the process itself: what the tree registers to run at the
end has no say in the exit code. An expected failure counts as skipped, for it shows nothing.
"""

import os
import sys

# As with `-m`: the folder that it is started in is on the path, not that of this file.
OWN = sys.path[:1] == [os.path.dirname(os.path.abspath(__file__))]
if OWN:
    del sys.path[0]

import traceback
import unittest
from unittest.loader import _FailedTest
from unittest.suite import _ErrorHolder
from xml.sax.saxutils import quoteattr

REPORT = os.environ["PROOFHOUSE_REPORT"]
LEAVE = os._exit
UNENDED = ("error", "it did not end")


def single(test):
    """Every test of a suite by itself."""
    if isinstance(test, unittest.TestSuite):
        for part in test:
            yield from single(part)
    elif test is not None:
        yield test


class Results(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.cases, self.broken, self.shared, self.parts = {}, {}, [], {}

    def say(self, test, tag, message):
        if isinstance(test, _FailedTest):
            self.broken[test.id()] = message
        elif isinstance(test, _ErrorHolder):
            self.shared.append((tag, test.id() + ": " + message))
        else:
            self.cases[test.id()] = (tag, message)

    def told(self, error):
        """What was raised and where, then how it came there."""
        own = os.path.dirname(unittest.__file__)
        frames = [one for one in traceback.extract_tb(error[2]) if not one.filename.startswith(own)]
        what = "".join(traceback.format_exception_only(*error[:2])).strip()
        where = " (%s:%d)" % (os.path.relpath(frames[-1].filename), frames[-1].lineno) if frames else ""
        return what + where + "\n" + "".join(traceback.format_exception(*error))

    def startTest(self, test):
        super().startTest(test)
        # For whoever asks which test is running, here and in processes that it starts.
        sys._proofhouse_test = os.environ["PROOFHOUSE_TEST"] = test.id()
        if not isinstance(test, _FailedTest):
            self.cases[test.id()] = UNENDED

    def addSuccess(self, test):
        super().addSuccess(test)
        if self.cases.get(test.id()) == UNENDED:
            self.cases[test.id()] = (None, "")

    def addError(self, test, error):
        super().addError(test, error)
        self.say(test, "error", self.told(error))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say(test, "failure", self.told(error))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            # The first says why, and all say which: that one more fails is a difference.
            told, parts = self.parts.setdefault(test.id(), (self.told(error), []))
            parts.append(subtest._subDescription())
            what, _, how = told.partition("\n")
            self.say(test, "failure", "%s [parts that fail: %s]\n%s" % (what, ", ".join(parts), how))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        # A part of a test that is skipped leaves the rest of it.
        if not hasattr(test, "test_case"):
            self.say(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.say(test, "skipped", "expected to fail")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.say(test, "failure", "it was expected to fail")


class Runner(unittest.TextTestRunner):
    resultclass = Results

    def run(self, test):
        planned = [one.id() for one in single(test) if not isinstance(one, _FailedTest)]
        results = super().run(test)
        write(planned, results)
        return results


def write(planned, results):
    cases = results.cases
    for name in dict.fromkeys(planned):
        if name in cases:
            continue
        # What prepares a class or a module failed, was skipped, or the person's `-f` ended the run.
        if results.shared:
            cases[name] = results.shared[-1]
        elif results.shouldStop:
            cases[name] = ("skipped", "not run: an earlier test failed")
    count = len(set(planned) | set(cases)) + len(results.broken)
    lines = ['<testsuite name="tests" tests="%d">' % count]
    for name, (tag, message) in cases.items():
        group, _, own = name.rpartition(".")
        lines.append("<testcase classname=%s name=%s>" % (quoteattr(group), quoteattr(own)))
        if tag is not None:
            lines.append("<%s message=%s/>" % (tag, quoteattr(clean(message))))
        lines.append("</testcase>")
    for name, message in results.broken.items():
        text = clean(message).replace("&", "&amp;").replace("<", "&lt;")
        lines.append('<testcase classname="" name=%s>' % quoteattr(name))
        lines.append('<error message="collection failure">%s</error></testcase>' % text)
    lines.append("</testsuite>")
    with open(REPORT, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def clean(text):
    """Without characters that XML has no place for, and the middle of what is too long."""
    text = text if len(text) < 4000 else text[:2000] + "\n...\n" + text[-2000:]
    return "".join(c for c in text if c in "\n\t" or 32 <= ord(c) < 0xD800)


def main():
    if OWN:
        sys.path.insert(0, os.getcwd())
    arguments = sys.argv[1:]
    sys.argv[:] = ["python -m unittest", *arguments]
    program = unittest.main(module=None, testRunner=Runner, exit=False)
    sys.stdout.flush()
    sys.stderr.flush()
    LEAVE(0 if program.result.wasSuccessful() else 1)


main()
