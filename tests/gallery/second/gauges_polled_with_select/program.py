# SPDX-License-Identifier: Apache-2.0
"""Gauges of a water works report over sockets; one loop reads whichever has something."""

import os
import select
import socket
import threading
import time


def gauge(line, level, pause):
    """Stand in for a gauge: a reading every so often."""
    while True:
        level += 0.25 if level < 8 else -3.0
        line.sendall(b"%.2f\n" % level)
        time.sleep(pause)


class Panel:
    def __init__(self, lines):
        self.lines = lines
        self.latest = {}
        self.seen = 0

    def take(self, line):
        name = self.lines[line]
        for reading in line.recv(4096).split():
            self.latest[name] = float(reading)
            self.seen += 1

    def show(self):
        print(self.seen, sorted(self.latest.items()), flush=True)

    def watch(self):
        shown = time.monotonic()
        while True:
            readable, _, _ = select.select(list(self.lines), [], [], 1.0)
            for line in readable:
                self.take(line)
            if time.monotonic() - shown > 0.5:
                self.show()
                shown = time.monotonic()


def main():
    lines = {}
    for number, name in enumerate(("basin", "tower", "well", "weir")):
        ours, theirs = socket.socketpair()
        lines[ours] = name
        threading.Thread(
            target=gauge, args=(theirs, number, 0.03 + number / 100), name=name, daemon=True
        ).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    Panel(lines).watch()


main()
