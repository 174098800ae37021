# SPDX-License-Identifier: Apache-2.0
"""Sends telegrams through the post office that this very program runs for its tests."""

import os
import socket
import socketserver
import threading


class Counter(socketserver.StreamRequestHandler):
    """Takes a line, answers with its number."""

    numbers = iter(range(100, 10_000))

    def handle(self):
        for telegram in self.rfile:
            self.wfile.write(b"%d %s" % (next(self.numbers), telegram))


class PostOffice(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Sender:
    def __init__(self, host, port):
        self.host, self.port = host, port
        self.sock = socket.create_connection((host, port))

    def send(self, text):
        self.sock.sendall(text.encode())
        answer = b""
        while not answer.endswith(b"\n"):
            answer += self.sock.recv(1024)
        return int(answer.split()[0])


def main():
    office = PostOffice(("127.0.0.1", 0), Counter)
    threading.Thread(target=office.serve_forever, name="office", daemon=True).start()
    sender = Sender(*office.server_address)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(sender.send("ARRIVE TUESDAY STOP"))


main()
