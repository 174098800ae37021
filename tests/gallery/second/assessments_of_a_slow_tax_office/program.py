# SPDX-License-Identifier: Apache-2.0
"""Fetches the assessments of clients from a tax office, whose service takes its time."""

import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue


class TaxOffice(BaseHTTPRequestHandler):
    """Stands for the office: every assessment is computed while the client waits."""

    def do_GET(self):
        client = int(self.path.rpartition("/")[2])
        time.sleep(0.1 if client < 3 else 40)
        body = b"%d.00 EUR" % (client * 917 % 5000)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Office(ThreadingHTTPServer):
    daemon_threads = True


def fetch(base, clients, results):
    while True:
        try:
            client = clients.get_nowait()
        except Empty:
            return
        with urllib.request.urlopen(f"{base}/assessment/{client}", timeout=60) as answer:
            results[client] = answer.read().decode()


def main():
    office = Office(("127.0.0.1", 0), TaxOffice)
    threading.Thread(target=office.serve_forever, name="tax-office", daemon=True).start()
    clients, results = SimpleQueue(), {}
    for client in range(9):
        clients.put(client)
    base = f"http://127.0.0.1:{office.server_port}"
    fetching = [
        threading.Thread(target=fetch, args=(base, clients, results), name=f"fetch-{number}")
        for number in range(3)
    ]
    for thread in fetching:
        thread.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for thread in fetching:
        thread.join()
    print(results)


main()
