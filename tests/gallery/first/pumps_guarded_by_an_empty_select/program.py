# SPDX-License-Identifier: Apache-2.0
"""A pump is controlled by a thread; the main thread has nothing to do but to take signals."""

import os
import select
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Pump(threading.Thread):
    def __init__(self):
        super().__init__(name="pump", daemon=True)
        self.level, self.turns = 50, 0

    def run(self):
        while True:
            self.level += 3 if self.level < 60 else -20
            self.turns += 1
            if self.turns == 3:
                ready()
            time.sleep(0.1)


def main():
    Pump().start()
    while True:
        select.select([], [], [])


main()
