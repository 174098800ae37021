# SPDX-License-Identifier: Apache-2.0
"""The till of a shop: a thread reads the scanner's line, the main loop rings up what it read."""

import os
import pty
import queue
import threading
import tty

ARTICLES = {"8710400": ("milk", 119), "8712100": ("tea", 259)}


class Scanner(threading.Thread):
    """Reads lines from the scanner, a terminal device."""

    def __init__(self, descriptor, codes):
        super().__init__(name="scanner", daemon=True)
        self.descriptor, self.codes = descriptor, codes
        self.unfinished = b""

    def run(self):
        while True:
            self.unfinished += os.read(self.descriptor, 64)
            *lines, self.unfinished = self.unfinished.split(b"\r")
            for line in lines:
                self.codes.put(line.decode())


class Till:
    def __init__(self):
        self.codes = queue.Queue()
        self.rung = []

    def ring_up(self, code):
        self.rung.append(ARTICLES.get(code, ("unknown", 0)))

    def serve(self):
        while True:
            self.ring_up(self.codes.get())


def main():
    till = Till()
    gun, line = pty.openpty()
    tty.setraw(line)
    Scanner(line, till.codes).start()
    os.write(gun, b"8710400\r8712100\r")
    for _ in range(2):
        till.ring_up(till.codes.get())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    till.serve()


main()
