# SPDX-License-Identifier: Apache-2.0
"""A lighthouse keeper writes down the watch: ships, weather, the lamp."""

import os
import queue
import tempfile
import threading
import time

from diary import Diary


class Lamp(threading.Thread):
    def __init__(self, events):
        super().__init__(name="lamp", daemon=True)
        self.events = events
        self.turns = 0

    def run(self):
        while True:
            time.sleep(0.02)
            self.turns += 1
            if self.turns % 10 == 0 and self.turns < 500:
                self.events.put(f"lamp: {self.turns} turns")


class Lookout(threading.Thread):
    SHIPS = ("Anna Maria", "Borussia", "Concordia", "Dorade")

    def __init__(self, events):
        super().__init__(name="lookout", daemon=True)
        self.events = events

    def run(self):
        for number in range(80):
            self.events.put(f"{self.SHIPS[number % 4]} passes")
            time.sleep(0.01)


class Keeper:
    def __init__(self, folder):
        self.events = queue.Queue()
        self.diary = Diary(os.path.join(folder, "diary"))
        self.helpers = [Lamp(self.events), Lookout(self.events)]

    def watch(self, seconds):
        for helper in self.helpers:
            helper.start()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.diary.write(self.events.get())


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    threading.Timer(2.0, announce).start()
    with tempfile.TemporaryDirectory() as folder:
        Keeper(folder).watch(3.0)


if __name__ == "__main__":
    main()
