# SPDX-License-Identifier: Apache-2.0
"""A mail program idles at its server, as IMAP has it, until a letter comes or 29 minutes pass."""

import os
import socket
import threading


class MailServer(threading.Thread):
    """One mailbox; tells an idling client of letters, and every two minutes that it is there."""

    def __init__(self):
        super().__init__(name="mail-server", daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.letter = threading.Event()

    def run(self):
        client, _ = self.listener.accept()
        lines = client.makefile("rb")
        client.sendall(b"* OK ready\r\n")
        tag = lines.readline().split()[0]
        client.sendall(tag + b" OK selected\r\n")
        lines.readline()
        client.sendall(b"+ idling\r\n")
        while True:
            come = self.letter.wait(120)
            self.letter.clear()
            client.sendall(b"* 1 EXISTS\r\n" if come else b"* OK still here\r\n")


class MailProgram:
    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=29 * 60)
        self.lines = self.socket.makefile("rb")
        self.seen = []

    def command(self, text):
        self.socket.sendall(text + b"\r\n")
        return self.lines.readline()

    def watch(self):
        while True:
            self.seen.append(self.lines.readline())


def main():
    server = MailServer()
    server.start()
    program = MailProgram(server.listener.getsockname())
    program.lines.readline()
    program.command(b"a1 SELECT inbox")
    program.command(b"a2 IDLE")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    program.watch()


main()
