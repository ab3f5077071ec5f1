"""Asks a product over HTTP: starts it, sends requests, one frame of answers out. What must hold of the answers
is not here."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

LARGEST = 1 << 53
LONGEST = 1 << 16
PATIENCE = 60
PLACE = re.compile(r"\{(\d+)((?:/[^{}\s]*)?)\}")


def shown(value):
    """A value as JSON; numbers that readers round are texts."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST else {"$number": str(value)}
    if isinstance(value, float):
        if value != value:
            return {"$number": "NaN"}
        if value in (float("inf"), float("-inf")):
            return {"$number": "Infinity" if value > 0 else "-Infinity"}
        return value
    if isinstance(value, list):
        return [shown(one) for one in value]
    return {key: shown(one) for key, one in value.items()}


def once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key twice")
    return members


def read(body, kind):
    """What a body says: a value where it is JSON and says so, else its text, or its bytes."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"$bytes": body.hex()}
    if "json" in kind:
        try:
            return shown(json.loads(text, object_pairs_hook=once))
        except (ValueError, RecursionError):
            pass
    return text


def at(value, pointer):
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def spelt(value):
    return value if isinstance(value, str) else json.dumps(value)


def filled(value, given):
    """An input, with earlier answers in their places."""
    if isinstance(value, dict):
        if "$answer" in value:
            return at(given[value["$answer"]], value.get("at", ""))
        return {key: filled(one, given) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, given) for one in value]
    return value


def text(value, given):
    return PLACE.sub(lambda found: spelt(at(given[int(found[1])], found[2])), value)


def asked(step, given, port):
    method, _, path = text(step["call"], given).partition(" ")
    headers = {name: text(spelt(filled(one, given)), given) for name, one in step.get("named", {}).items()}
    body = step.get("stdin", "").encode() or None
    if step.get("with"):
        body = json.dumps(filled(step["with"][0], given)).encode()
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "application/json"
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    asking.request(method, path, body=body, headers=headers)
    came = asking.getresponse()
    body = came.read(LONGEST)
    named = {name.lower(): value for name, value in came.getheaders()}
    asking.close()
    return {"status": came.status, "headers": named, "body": read(body, named.get("content-type", ""))}


def answers(steps, port):
    given, all = {}, []
    for number, step in enumerate(steps):
        try:
            given[number] = asked(step, given, port)
            all.append({"value": given[number]})
        except (OSError, http.client.HTTPException, KeyError, IndexError, TypeError, ValueError) as error:
            all.append({"error": [type(error).__name__], "says": str(error)[:LONGEST]})
    return all


def listens(product, port):
    """Has it come up? One that has ended well may have left another behind."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return True
        except OSError:
            ended = product.poll()
            if ended is not None:
                ends = min(ends, time.monotonic() + (0 if ended else 1))
        time.sleep(0.05)
    return False


def main():
    order = json.loads(sys.stdin.buffer.read())
    out = os.dup(1)
    os.dup2(2, 1)
    port, steps = order["port"], order["steps"]
    told = dict(os.environ, PORT=str(port))
    product = subprocess.Popen(
        ["sh", "-c", order["start"]], stdin=subprocess.DEVNULL, start_new_session=True, env=told
    )
    came = answers(steps, port) if listens(product, port) else [{"missing": ""} for _ in steps]
    try:
        os.killpg(product.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    said = json.dumps({"answers": [came]}).encode()
    while said:
        said = said[os.write(out, said):]
    os._exit(0)


main()
