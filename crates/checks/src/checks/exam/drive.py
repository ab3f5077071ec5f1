"""Asks a Python product: calls in, one frame of answers out. What must hold of the answers is not here."""

import dataclasses
import importlib
import json
import os
import sys

LARGEST = 1 << 53
DEEPEST = 40
LONGEST = 4000


def shown(value, depth=0):
    """A value as JSON; what JSON has not is an object with a key that begins with a dollar."""
    if depth > DEEPEST:
        return {"$object": "too deep"}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= LARGEST else {"$number": int.__repr__(value)}
    if isinstance(value, float):
        if value != value:
            return {"$number": "NaN"}
        if value in (float("inf"), float("-inf")):
            return {"$number": "Infinity" if value > 0 else "-Infinity"}
        return float(value)
    if isinstance(value, (list, tuple)):
        return [shown(one, depth + 1) for one in value]
    if isinstance(value, dict):
        if all(type(key) is str for key in value):
            return {key: shown(one, depth + 1) for key, one in value.items()}
        pairs = [[shown(key, depth + 1), shown(one, depth + 1)] for key, one in value.items()]
        return {"$pairs": pairs}
    if isinstance(value, (set, frozenset)):
        return {"$set": sorted((shown(one, depth + 1) for one in value), key=json.dumps)}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).hex()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {one.name: shown(getattr(value, one.name), depth + 1) for one in fields}
    return {"$object": type(value).__name__}


class Missing(Exception):
    pass


def found(call, inputs):
    if call.startswith("."):
        return getattr(inputs.pop(0), call[1:])
    module, _, name = call.partition(":")
    try:
        thing = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            raise Missing from None
        raise
    for part in name.split("."):
        if not hasattr(thing, part):
            raise Missing
        thing = getattr(thing, part)
    return thing


def filled(value, given):
    """An input, with earlier answers in their places, as they were given."""
    if isinstance(value, dict):
        if "$answer" in value:
            return given[value["$answer"]]
        if set(value) == {"$number"}:
            return float(value["$number"].replace("Infinity", "inf"))
        return {key: filled(one, given) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, given) for one in value]
    return value


def said(error):
    """What an error says, as far as it can be said."""
    try:
        return str.__str__(str(error))[:LONGEST].encode("utf-8", "replace").decode()
    except BaseException:
        return ""


def asked(case):
    given, answers = {}, []
    for number, step in enumerate(case["steps"]):
        try:
            inputs = [filled(one, given) for one in step.get("with", [])]
            named = {key: filled(one, given) for key, one in step.get("named", {}).items()}
            value = found(step["call"], inputs)(*inputs, **named)
            answer = {"value": shown(value)}
            given[number] = value
        except Missing:
            answer = {"missing": ""}
        except BaseException as error:
            kinds = [one.__name__ for one in type(error).__mro__]
            kinds = [one for one in kinds if one not in ("object", "BaseException")]
            code = getattr(error, "code", None)
            kinds += [code[:LONGEST]] if isinstance(code, str) else []
            answer = {"error": kinds, "says": said(error)}
        answers.append(answer)
    return answers


def apart(case):
    """The same in a process that has seen nothing else."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            said = json.dumps(asked(case)).encode()
            while said:
                said = said[os.write(write, said):]
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    try:
        return json.loads(said)
    except ValueError:
        return []


def main():
    order = json.loads(sys.stdin.buffer.read())
    out = os.dup(1)
    os.dup2(2, 1)
    here = os.getcwd()
    sys.path[:0] = [path for path in (here, os.path.join(here, "src")) if os.path.isdir(path)]
    answers = [(apart if order["apart"] else asked)(case) for case in order["cases"]]
    said = json.dumps({"answers": answers}).encode()
    while said:
        said = said[os.write(out, said):]
    os._exit(0)


main()
