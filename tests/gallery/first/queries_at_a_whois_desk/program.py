# SPDX-License-Identifier: Apache-2.0
"""A whois desk of a small registry: a thread for each caller, one caller keeps the line open."""

import os
import socket
import socketserver
import threading

HOLDERS = {b"harbour.example": b"Port Authority", b"tide.example": b"Institute of Tides"}


class Desk(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            domain = line.strip().lower()
            self.server.asked[domain] = self.server.asked.get(domain, 0) + 1
            self.wfile.write(HOLDERS.get(domain, b"not found") + b"\r\n")


class Registry(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address):
        super().__init__(address, Desk)
        self.asked = {}


class Caller:
    """A monitor on the same host that asks twice and then keeps its connection for later."""

    def __init__(self, address):
        self.connection = socket.create_connection(address)
        self.answers = self.connection.makefile("rb")

    def ask(self, domain):
        self.connection.sendall(domain + b"\r\n")
        return self.answers.readline().strip()


def rehearse(registry):
    caller = Caller(registry.server_address)
    registry.rehearsal = caller, [caller.ask(name) for name in (b"tide.example", b"moon.example")]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with Registry(("127.0.0.1", 0)) as registry:
        threading.Timer(0.5, rehearse, args=(registry,)).start()
        registry.serve_forever()


main()
