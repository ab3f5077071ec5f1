"""A collector and a receiver of others: Rotel, which takes JSON, before Arize Phoenix, which takes none.

Says where the collector listens, reads from its input how many spans were sent, and prints what Phoenix has of
them. Both end with it, and listen on loopback alone.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import rotel

PATIENCE = 240


def free():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def asked(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)


def until(what, found):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if (value := found()) is not None:
                return value
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.3)
    sys.exit(f"{what} did not happen in {PATIENCE} s")


def listens(port):
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def main():
    folder = tempfile.TemporaryDirectory()
    web, grpc, takes, other = free(), free(), free(), free()
    settings = {
        "PHOENIX_WORKING_DIR": folder.name,
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(web),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    phoenix = pathlib.Path(sys.executable).with_name("phoenix")
    agent = pathlib.Path(rotel.__file__).with_name("rotel-agent")
    started = [subprocess.Popen([phoenix, "serve"], env=os.environ | settings, **quiet)]
    try:
        projects = f"http://127.0.0.1:{web}/v1/projects"
        until("Phoenix answers", lambda: asked(projects))
        collect = ["start", "--otlp-http-endpoint", f"127.0.0.1:{takes}"]
        collect += ["--otlp-grpc-endpoint", f"127.0.0.1:{other}", "--pid-file", f"{folder.name}/pid"]
        collect += ["--exporter", "otlp", "--otlp-exporter-protocol", "http"]
        collect += ["--otlp-exporter-endpoint", f"http://127.0.0.1:{web}", "--batch-timeout", "100ms"]
        started.append(subprocess.Popen([agent, *collect], **quiet))
        until("the collector listens", lambda: listens(takes))
        print(f"http://127.0.0.1:{takes}", flush=True)
        many = int(sys.stdin.readline())

        def there():
            spans = asked(f"{projects}/default/spans?limit=1000")["data"]
            return spans if len(spans) >= many else None

        print(json.dumps(until("all spans are there", there)), flush=True)
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait()


main()
