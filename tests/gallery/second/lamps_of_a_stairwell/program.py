# SPDX-License-Identifier: Apache-2.0
"""The lamps of a stairwell dim after a while, and the caretaker can switch them off."""

import os
import threading
import time
from pathlib import Path


class Stairwell:
    def __init__(self, floors, delay):
        self.level = dict.fromkeys(range(floors), 100)
        self.delay = delay
        self.state_lock = threading.Lock()
        self.dimmer = None

    def enter(self):
        with self.state_lock:
            for floor in self.level:
                self.level[floor] = 100
            self.dimmer = threading.Timer(self.delay, self._dim)
            self.dimmer.name = "dimmer"
            self.dimmer.start()

    def _dim(self):
        with self.state_lock:
            for floor in self.level:
                self.level[floor] = 15

    def switch_off(self):
        with self.state_lock:
            for floor in self.level:
                time.sleep(0.1)  # the relays want a pause
                self.level[floor] = 0
            self.dimmer.cancel()
            self.dimmer.join()


def main():
    stairwell = Stairwell(floors=9, delay=0.6)
    stairwell.enter()
    time.sleep(0.05)
    Path("ready").write_text(f"{os.getpid()}\n")
    stairwell.switch_off()
    print("off:", stairwell.level)


if __name__ == "__main__":
    main()
