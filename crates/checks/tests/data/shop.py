import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

ITEMS = []


class Shop(BaseHTTPRequestHandler):
    def answer(self, status, value, kind="application/json"):
        body = json.dumps(value).encode() if "json" in kind else value
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/echo":
            return self.answer(200, body, "text/plain")
        name = json.loads(body)["name"]
        ITEMS.append({"name": name, "size": len(name)})
        self.answer(201, {"id": len(ITEMS)})

    def do_GET(self):
        number = self.path.rsplit("/", 1)[1]
        if not number.isdigit() or int(number) > len(ITEMS):
            return self.answer(404, {"error": "no_item"})
        self.answer(200, ITEMS[int(number) - 1])


HTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
