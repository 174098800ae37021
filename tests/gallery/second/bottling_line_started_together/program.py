# SPDX-License-Identifier: Apache-2.0
"""The machines of a bottling line warm up and start together when the foreman gives the sign."""

import os
import threading
import time


class Line:
    def __init__(self):
        self.go = threading.Event()
        self.glue_is_hot = threading.Event()
        self.bottles = 0

    def start(self):
        """Let every machine go, and be ready for the next start."""
        self.go.set()
        self.go.clear()

    def fill(self):
        self.go.wait()
        self.bottles += 24

    def label(self):
        self.glue_is_hot.wait()
        self.go.wait()
        self.bottles -= 1


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    line = Line()
    machines = [
        threading.Thread(target=line.fill, name="filler"),
        threading.Thread(target=line.label, name="labeller"),
    ]
    for machine in machines:
        machine.start()
    time.sleep(0.4)
    line.start()
    time.sleep(0.2)
    line.glue_is_hot.set()
    threading.Timer(0.4, tell).start()
    for machine in machines:
        machine.join()


main()
