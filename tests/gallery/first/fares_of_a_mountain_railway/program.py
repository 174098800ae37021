# SPDX-License-Identifier: Apache-2.0
"""The fares of a mountain railway: what a ticket costs is worked out when it is asked for."""

import json
import os
import queue
import sys
import threading
from dataclasses import dataclass


@dataclass
class Station:
    name: str
    height: int
    zone: int = 1

    @property
    def label(self):
        return f"{self.name} ({self.height} m)"


class Ticket:
    def __init__(self, start, end, riders):
        self.start, self.end, self.riders = start, end, riders

    @property
    def climb(self):
        return abs(self.end.height - self.start.height)

    @property
    def cents(self):
        zones = abs(self.end.zone - self.start.zone) + 1
        return (250 * zones + self.climb // 2) * self.riders

    @property
    def text(self):
        return f"{self.start.label} - {self.end.label}"


class Counter(threading.Thread):
    """Prints what was sold."""

    def __init__(self):
        super().__init__(name="counter", daemon=True)
        self.sold = queue.Queue()
        self.takings = 0

    def run(self):
        while (ticket := self.sold.get()) is not None:
            self.takings += ticket.cents
            print(ticket.text, flush=True)


class Line:
    def __init__(self, stations):
        self.stations = {station.name: station for station in stations}

    def ticket(self, start, end, riders=1):
        return Ticket(self.stations[start], self.stations[end], riders)


def announce(kind, name):
    """Tell where the rule for an attribute lies: the bench may look at it."""
    place = id(vars(kind)[name]) + object.__basicsize__
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 4]]}) + "\n")


def main():
    stations = [Station("Talbach", 612), Station("Mitteregg", 1190, 2)]
    line = Line([*stations, Station("Hohes Joch", 2344, 3)])
    counter = Counter()
    counter.start()
    tickets = [line.ticket("Talbach", "Mitteregg", 2), line.ticket("Mitteregg", "Hohes Joch")]
    announce(Ticket, "climb")
    sys.stdin.readline()
    for ticket in tickets:
        counter.sold.put(ticket)
    counter.sold.put(None)
    counter.join()
    print(counter.takings)


if __name__ == "__main__":
    main()
