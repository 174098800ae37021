# SPDX-License-Identifier: Apache-2.0
"""Night buses charge more in outer zones. Journeys come from the ticket machines over a queue and are
priced by a small pool of threads."""  # noqa: E501

import concurrent.futures
import logging
import os
import sys
import threading
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import surcharge

log = logging.getLogger("night-bus")
ZONES = {"A": 0.0, "B": 0.6, "C": 1.2, "D": 1.9}
MACHINES = """
mill-lane A 4
harbour B 7
university B 3
forest-edge C 11
airport D 19
beach E 14
"""


class Journey:
    def __init__(self, line):
        self.stop, self.zone, stops = line.split()
        self.stops = int(stops)

    def base(self):
        return 1.8 + 0.15 * self.stops


class Pricing:
    """Prices journeys; the table is shared by all threads."""

    def __init__(self, zones, factor):
        self.table = surcharge.Table(zones, factor)
        self.guard = threading.Lock()
        self.takings = Decimal(0)

    def price(self, journey):
        fare = self.table.fare(journey.zone, journey.base())
        with self.guard:
            self.takings += Decimal(fare).quantize(Decimal("0.01"))
        return fare

    def price_and_tell(self, journey):
        fare = self.price(journey)
        log.info("%s: zone %s, %.2f", journey.stop, journey.zone, fare)
        return fare


def journeys(text):
    return [Journey(line) for line in text.strip().splitlines()]


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    pricing = Pricing(ZONES, 1.25)
    with concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="pricing") as pool:
        fares = list(pool.map(pricing.price_and_tell, journeys(MACHINES)))
    log.info("%d journeys, %s taken", len(fares), pricing.takings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
