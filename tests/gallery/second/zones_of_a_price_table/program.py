# SPDX-License-Identifier: Apache-2.0
"""Prices of delivery zones, kept in a small library."""

import ctypes
import os
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Zones:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "zones.so"))
        for zone in range(12):
            self.library.zone_store(zone, 390 + 40 * zone)

    def price(self, zone, weight):
        return self.library.zone_price(zone) * weight // 1000


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def price_orders(zones, orders):
    return [zones.price(zone, weight) for zone, weight in orders]


def main():
    zones = Zones()
    threading.Timer(0.5, tell).start()
    print(price_orders(zones, [(3, 1200), (7, 800), (15, 4100), (2, 300)]))


main()
