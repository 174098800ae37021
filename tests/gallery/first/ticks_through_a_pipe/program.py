# SPDX-License-Identifier: Apache-2.0
"""A clock thread writes its ticks into a pipe that the main thread reads line by line."""

import os
import threading
import time


class Clock:
    def __init__(self, descriptor, pause):
        self.file = os.fdopen(descriptor, "w")
        self.pause = pause

    def tick(self):
        number = 0
        while True:
            self.file.write("tick %d\n" % number)
            self.file.flush()
            number += 1
            time.sleep(self.pause)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    reading, writing = os.pipe()
    threading.Thread(target=Clock(writing, 600).tick, name="clock", daemon=True).start()
    threading.Timer(0.5, tell).start()
    for line in os.fdopen(reading):
        print(line.strip())


main()
