# SPDX-License-Identifier: Apache-2.0
"""Inspection of a conveyor belt: a line scanner is asked for its next line, with some patience;
the lines are averaged into a strip."""

import threading
import time

import line_scanner


class Belt:
    def __init__(self, port):
        self.port = port
        self.lines = []
        self.gaps = 0
        self.lock = threading.Lock()

    def grab(self):
        length = line_scanner.grab(self.port, 5)
        with self.lock:
            if length:
                self.lines.append(length)
            else:
                self.gaps += 1
        return length

    def report_regularly(self, seconds):
        while True:
            time.sleep(seconds)
            with self.lock:
                print(len(self.lines), "lines,", self.gaps, "gaps", flush=True)


def inspect(belt, wanted):
    while len(belt.lines) < wanted:
        belt.grab()
        time.sleep(0.001)
    return sum(belt.lines) / wanted


def main():
    belt = Belt(port=3)
    threading.Thread(target=belt.report_regularly, args=(0.05,), daemon=True).start()
    print("mean length", inspect(belt, 400))


main()
