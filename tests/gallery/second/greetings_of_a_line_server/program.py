# SPDX-License-Identifier: Apache-2.0
"""A line server of a help desk: each terminal has a thread; at night nobody types."""

import os
import socket
import socketserver
import threading


class Terminal(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"help desk\n")
        for line in self.rfile:
            self.wfile.write(self.server.answer(line.strip().decode()).encode() + b"\n")


class HelpDesk(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address):
        super().__init__(address, Terminal)
        self.asked = 0
        self.ready_at = 2

    def answer(self, question):
        self.asked += 1
        return "ticket %d opened: %s" % (self.asked, question)

    def service_actions(self):
        if self.asked >= self.ready_at and not os.path.exists("ready"):
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


def visit(port, words, kept):
    line = socket.create_connection(("127.0.0.1", port))
    kept.append(line)
    file = line.makefile("rwb")
    file.readline()
    file.write(words + b"\n")
    file.flush()
    file.readline()


def main():
    desk = HelpDesk(("127.0.0.1", 0))
    kept = []
    for words in (b"printer jams", b"screen is dark"):
        threading.Thread(target=visit, args=(desk.server_address[1], words, kept)).start()
    desk.serve_forever()


main()
