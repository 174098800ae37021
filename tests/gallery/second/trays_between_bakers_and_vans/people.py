# SPDX-License-Identifier: Apache-2.0
"""Who works at the counter."""

import threading


class Van(threading.Thread):
    def __init__(self, counter, load):
        super().__init__(name=f"van of {load}")
        self.counter = counter
        self.load = load
        self.loaded = []

    def run(self):
        for _ in range(self.load):
            self.loaded.append(self.counter.pick_up())


class Clerk(threading.Thread):
    """Closes the counter once it holds so many trays that no more fit."""

    def __init__(self, counter):
        super().__init__(name="clerk")
        self.counter = counter

    def run(self):
        self.counter.wait_until(lambda trays: trays >= self.counter.places)


class Baker(threading.Thread):
    def __init__(self, counter, trays):
        super().__init__(name="baker")
        self.counter = counter
        self.trays = trays

    def run(self):
        for number in range(self.trays):
            self.counter.put_down(f"tray {number}")
