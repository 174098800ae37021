# SPDX-License-Identifier: Apache-2.0
"""Loads lorries onto night ferries: the deck holds ten, a ferry leaves by the timetable."""

import os
import queue
import sched
import threading
import time
from pathlib import Path


class Deck(queue.Queue):
    def drained(self):
        """Take what stands on the deck."""
        while True:
            try:
                yield self.get_nowait()
            except queue.Empty:
                return


class Ferry:
    def __init__(self, deck):
        self.deck = deck
        self.timetable = sched.scheduler(time.monotonic, time.sleep)
        self.across = []

    def leave(self):
        self.across.extend(self.deck.drained())

    def sail(self, trips, minutes):
        for trip in range(1, trips + 1):
            self.timetable.enter(60 * minutes * trip, 1, self.leave)
        self.timetable.run()


def drive_up(deck, road, lorries):
    for number in range(lorries):
        deck.put(f"{road}-{number}")


def main():
    deck = Deck(10)
    ferry = Ferry(deck)
    boat = threading.Thread(target=ferry.sail, args=(5, 40), name="ferry")
    roads = [
        threading.Thread(target=drive_up, args=(deck, road, 12), name=road)
        for road in ("E6", "E18", "E39")
    ]
    boat.start()
    for road in roads:
        road.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for road in roads:
        road.join()
    boat.join()
    print(len(ferry.across), flush=True)


if __name__ == "__main__":
    main()
