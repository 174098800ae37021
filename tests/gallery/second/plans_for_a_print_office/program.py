# SPDX-License-Identifier: Apache-2.0
"""Plans are sent to a print office by HTTP; large bodies only after the office agreed."""

import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class PrintOffice(BaseHTTPRequestHandler):
    def do_PUT(self):
        length = int(self.headers["Content-Length"])
        plan = self.rfile.read(length)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.log_message("%d bytes", len(plan))

    def log_message(self, *args):
        pass


class OfficeClient:
    def __init__(self, address):
        self.connection = socket.create_connection(address)
        self.lines = self.connection.makefile("rb")

    def status(self):
        status = int(self.lines.readline().split()[1])
        while self.lines.readline() not in (b"\r\n", b""):
            pass
        return status

    def send_plan(self, name, plan):
        self.connection.sendall(
            b"PUT /plans/%s HTTP/1.1\r\nHost: office\r\nContent-Length: %d\r\n"
            b"Expect: 100-continue\r\n\r\n" % (name, len(plan))
        )
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        if self.status() == 100:
            self.connection.sendall(plan)
        return self.status()


def main():
    office = ThreadingHTTPServer(("127.0.0.1", 0), PrintOffice)
    threading.Thread(target=office.serve_forever, name="print-office", daemon=True).start()
    client = OfficeClient(office.server_address)
    print(client.send_plan(b"cellar.pdf", b"%PDF" + bytes(200000)))


main()
