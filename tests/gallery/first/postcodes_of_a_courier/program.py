# SPDX-License-Identifier: Apache-2.0
"""Finds the depot of a parcel by its postcode; the gazetteer is reached with retries."""

import logging
import os
import queue
import threading
import time
from dataclasses import dataclass, field

import tenacity

log = logging.getLogger("courier")


class Gazetteer:
    """Postcodes by their outer part; in the service it is a table that is reloaded at night."""

    def __init__(self):
        self.outer = {"AB": "aberdeen", "CB": "cambridge", "EH": "edinburgh", "M": "manchester"}
        self.lookups = 0

    def area(self, postcode):
        letters = postcode.split()[0].rstrip("0123456789")
        self.lookups += 1
        return self.outer[letters]


@dataclass
class Parcel:
    number: int
    postcode: str
    depot: str = ""
    history: list = field(default_factory=list)


class Router:
    def __init__(self, gazetteer):
        self.gazetteer = gazetteer
        self.routed = 0

    @tenacity.retry
    def depot_for(self, postcode):
        area = self.gazetteer.area(postcode)
        return f"{area}-central"

    def route(self, parcel):
        parcel.history.append(time.time())
        parcel.depot = self.depot_for(parcel.postcode)
        self.routed += 1


class Desk(threading.Thread):
    """Routes the parcels of one conveyor."""

    def __init__(self, name, router, parcels, printed):
        super().__init__(name=name, daemon=True)
        self.router = router
        self.parcels = parcels
        self.printed = printed

    def run(self):
        while True:
            parcel = self.parcels.get()
            self.router.route(parcel)
            self.printed.put((parcel.number, parcel.depot))
            self.parcels.task_done()


class LabelPrinter(threading.Thread):
    def __init__(self, printed):
        super().__init__(name="printer", daemon=True)
        self.printed = printed
        self.labels = 0

    def run(self):
        with open("labels.txt", "w", encoding="utf-8") as labels:
            while True:
                number, depot = self.printed.get()
                labels.write(f"{number:08} {depot}\n")
                self.labels += 1


class Heartbeat(threading.Thread):
    def __init__(self, router):
        super().__init__(name="heartbeat", daemon=True)
        self.router = router

    def run(self):
        while True:
            time.sleep(10)
            log.info("routed %d", self.router.routed)


def main():
    logging.basicConfig(level=logging.INFO)
    router = Router(Gazetteer())
    parcels, printed = queue.Queue(), queue.Queue()
    Desk("desk-1", router, parcels, printed).start()
    LabelPrinter(printed).start()
    Heartbeat(router).start()
    for number, postcode in enumerate(["CB2 1TN", "EH1 1YZ", "M1 1AE", "GY1 2PB", "AB10 1AB"]):
        parcels.put(Parcel(number, postcode))
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    parcels.join()
    log.info("all parcels have a depot")


if __name__ == "__main__":
    main()
