# SPDX-License-Identifier: Apache-2.0
"""Invoices go to the tax office's service; when busy it says when to come again."""

import http.server
import json
import os
import threading
import time
import urllib.request


class Office(http.server.BaseHTTPRequestHandler):
    """Stands for the service: takes three invoices, then asks for a pause."""

    taken = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Office.taken += 1
        busy = Office.taken % 4 == 0
        answer = {"taken": not busy, "retry_after_ms": 45000 if busy else 0}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class Sender:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/invoices"
        self.sent = 0

    def post(self, invoice):
        request = urllib.request.Request(self.url, data=json.dumps(invoice).encode())
        with urllib.request.urlopen(request, timeout=5) as reply:
            return json.load(reply)

    def deliver(self, invoice):
        while not (answer := self.post(invoice))["taken"]:
            time.sleep(answer["retry_after_ms"])
        self.sent += 1


def main():
    with http.server.HTTPServer(("127.0.0.1", 0), Office) as server:
        threading.Thread(target=server.serve_forever, name="office", daemon=True).start()
        sender = Sender(server.server_address[1])
        threading.Timer(0.7, announce).start()
        for number in range(10):
            sender.deliver({"number": number, "cents": 990 + number})
            print(number, "delivered", flush=True)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


main()
