# SPDX-License-Identifier: Apache-2.0
"""Two parts of one program talk over a socketpair; each is polite and waits for the other."""

import os
import socket
import threading


class Side:
    def __init__(self, connection, name):
        self.connection = connection
        self.name = name

    def greet(self):
        theirs = self.connection.recv(64)
        self.connection.sendall(b"good day, I am " + self.name + b"\n")
        return theirs


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    ours, theirs = socket.socketpair()
    threading.Thread(target=Side(theirs, b"peer").greet, name="peer").start()
    tell()
    print(Side(ours, b"main").greet())


main()
