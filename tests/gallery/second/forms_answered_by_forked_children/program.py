# SPDX-License-Identifier: Apache-2.0
"""A service for tax forms: each applicant is answered by a child process of his own."""

import os
import socket
import socketserver


class FormHandler(socketserver.StreamRequestHandler):
    QUESTIONS = ("name", "income", "children")

    def handle(self):
        answers = {}
        for question in self.QUESTIONS:
            self.wfile.write(question.encode() + b"?\n")
            line = self.rfile.readline()
            if not line:
                return
            answers[question] = line.decode().strip()
        self.wfile.write(b"tax: %d\n" % (int(answers["income"]) // 5))


class FormServer(socketserver.ForkingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    max_children = 20
    told = False

    def service_actions(self):
        super().service_actions()
        if self.active_children and not self.told:
            self.told = True
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


def main():
    with FormServer(("127.0.0.1", 0), FormHandler) as server:
        quick = socket.create_connection(server.server_address)
        quick.sendall(b"ada\n50000\n2\n")
        slow = socket.create_connection(server.server_address)
        slow.sendall(b"bo\n")
        server.serve_forever(poll_interval=0.5)


main()
