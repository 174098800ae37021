# SPDX-License-Identifier: Apache-2.0
"""A small mail server and a client that waits in it for new letters, as IMAP's IDLE does."""

import os
import socket
import threading

KEEP_ALIVE = 1500
GIVE_UP = 1740


class Mailbox:
    def __init__(self):
        self.letters, self.arrived = [], threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))

    def serve(self):
        client, _ = self.listener.accept()
        with client, client.makefile("rwb") as lines:
            while lines.readline() == b"IDLE\n":
                told = len(self.letters)
                with self.arrived:
                    if not self.arrived.wait_for(lambda: len(self.letters) > told, KEEP_ALIVE):
                        lines.write(b"* still here\n")
                    else:
                        lines.write(b"* %d letters\n" % len(self.letters))
                lines.flush()

    def deliver(self, letter):
        with self.arrived:
            self.letters.append(letter)
            self.arrived.notify_all()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    mailbox = Mailbox()
    threading.Thread(target=mailbox.serve, name="mailbox", daemon=True).start()
    client = socket.create_connection(mailbox.listener.getsockname(), timeout=GIVE_UP)
    threading.Timer(0.3, mailbox.deliver, ("invoice",)).start()
    threading.Timer(0.9, tell).start()
    with client, client.makefile("rwb") as lines:
        while True:
            lines.write(b"IDLE\n")
            lines.flush()
            print(lines.readline())


main()
