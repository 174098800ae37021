# SPDX-License-Identifier: Apache-2.0
"""Holds the price boards of filling stations and answers which is the cheapest."""

import json
import os
import sys
import threading
import time
from pathlib import Path

HEAD = 24  # a tuple's items begin here


class Station:
    def __init__(self, number):
        self.number = number
        self.prices = (1500 + number % 97, 1610 + number % 89, 1390 + number % 83)


def cheapest(stations, fuel):
    return min(stations, key=lambda station: station.prices[fuel]).number


def heartbeat():
    while True:
        time.sleep(0.4)
        Path("beat").write_text("up")


def main():
    stations = tuple(Station(number) for number in range(9000))
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    print(cheapest(stations, 0), flush=True)
    slot = id(stations[6021].prices) + HEAD + 8
    Path("ready").write_text(json.dumps({"pid": os.getpid(), "memory": [[slot, 44]]}) + "\n")
    sys.stdin.readline()
    for fuel in range(3):
        print(fuel, cheapest(stations, fuel), flush=True)


if __name__ == "__main__":
    main()
