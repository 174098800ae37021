# SPDX-License-Identifier: Apache-2.0
"""A gateway reads the lines of a sensor hub and acknowledges each of them."""

import os
import select
import socket
import threading


def hub(link):
    """Send what was measured during the night; wait until all is acknowledged."""
    link.sendall(b"temperature 18.5\nhumidity 61\n")
    acknowledged = b""
    while acknowledged.count(b"ok\n") < 2:
        acknowledged += link.recv(64)
    link.sendall(b"battery 84\n")


class Gateway:
    def __init__(self, link):
        self.link = link
        self.lines = link.makefile("rb")
        self.values = {}

    def handle_line(self):
        name, value = self.lines.readline().split()
        self.values[name.decode()] = float(value)
        self.link.sendall(b"ok\n")

    def collect(self):
        while "battery" not in self.values:
            readable, _, _ = select.select([self.link], [], [])
            if readable:
                self.handle_line()
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


def main():
    ours, theirs = socket.socketpair()
    threading.Thread(target=hub, args=(theirs,), name="hub", daemon=True).start()
    gateway = Gateway(ours)
    gateway.collect()
    print(gateway.values)


main()
