# SPDX-License-Identifier: Apache-2.0
"""Florists order through a small web service; here with the service in the same process."""

import http.client
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    orders = []

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        order = json.loads(self.rfile.read(size))
        self.orders.append(order)
        body = json.dumps({"number": len(self.orders)}).encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Florist:
    def __init__(self, port):
        self.line = http.client.HTTPConnection("127.0.0.1", port)

    def order(self, flower, stems):
        pretty = json.dumps({"flower": flower, "stems": stems}, indent=2)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(pretty))}
        compact = "".join(line.strip() for line in pretty.splitlines())
        self.line.request("POST", "/orders", compact.encode(), headers)
        return json.loads(self.line.getresponse().read())


def cooling():
    while True:
        time.sleep(0.5)
        Path("cooling").write_text("4 C")


def main():
    service = ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
    threading.Thread(target=service.serve_forever, name="service", daemon=True).start()
    threading.Thread(target=cooling, name="cooling", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    florist = Florist(service.server_port)
    for flower in ("tulip", "rose", "peony"):
        print(florist.order(flower, 50), flush=True)


if __name__ == "__main__":
    main()
