"""The tests of every module. `python3 -m unittest` runs them all, plain functions too, as pytest would."""

import asyncio
import importlib
import inspect
import pathlib
import unittest


def plain(function):
    def run():
        found = function()
        if inspect.iscoroutine(found):
            asyncio.run(found)

    run.__name__ = function.__name__
    return unittest.FunctionTestCase(run, description=f"{function.__module__}.{function.__name__}")


def load_tests(loader, _tests, _pattern):
    here = pathlib.Path(__file__).parent
    suite = unittest.TestSuite()
    for path in sorted(here.rglob("test_*.py")):
        name = ".".join(path.relative_to(here.parent).with_suffix("").parts)
        module = importlib.import_module(name)
        suite.addTests(loader.loadTestsFromModule(module))
        for key, value in vars(module).items():
            if key.startswith("test_") and inspect.isfunction(value) and value.__module__ == name:
                suite.addTest(plain(value))
    return suite
