# SPDX-License-Identifier: Apache-2.0
"""A ticket kiosk speaks HTTP to its screen; the caretaker closes it with a request."""

import json
import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer


class KioskHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.answer({"tickets": self.server.tickets, "open": self.server.is_open})

    def do_POST(self):
        action = getattr(self.server, "on_" + self.path.strip("/"), None)
        if action is None:
            self.send_error(404)
            return
        self.answer(action())

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Kiosk(HTTPServer):
    tickets = 500
    is_open = True

    def on_sell(self):
        self.tickets -= 1
        return {"left": self.tickets}

    def on_close(self):
        self.is_open = False
        self.shutdown()
        return {"sold": 500 - self.tickets}


def caretaker(port):
    def post(path):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", b"", method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    for _ in range(3):
        print(post("sell"), flush=True)
        time.sleep(0.05)
    print("closed:", post("close"), flush=True)


def main():
    kiosk = Kiosk(("127.0.0.1", 0), KioskHandler)
    threading.Thread(target=caretaker, args=(kiosk.server_port,), name="caretaker").start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    kiosk.serve_forever()
    print("good night")


main()
