# SPDX-License-Identifier: Apache-2.0
"""Collect the bulletins of an ice service for the ships of a shipping company."""

import http.client
import os
import threading
from dataclasses import dataclass, field

from station import Station


@dataclass
class Ship:
    name: str
    regions: list
    bulletins: dict = field(default_factory=dict)


class IceService:
    """Asks over one connection that is kept."""

    def __init__(self, host, port):
        self._connection = http.client.HTTPConnection(host, port)
        self._lock = threading.Lock()
        self._read = {}

    def bulletin(self, region):
        with self._lock:
            if region not in self._read:
                self._connection.request("GET", f"/{region}")
                answer = self._connection.getresponse()
                self._read[region] = answer.read().decode()
            return self._read[region]


class Dispatcher(threading.Thread):
    def __init__(self, service, ships):
        super().__init__(name="dispatcher")
        self.service, self.ships = service, ships

    def run(self):
        for ship in self.ships:
            for region in ship.regions:
                ship.bulletins[region] = self.service.bulletin(region)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    station = Station()
    desk = threading.Thread(target=station.serve_forever, args=(3600,), name="station", daemon=True)
    desk.start()
    service = IceService(*station.server_address)
    ships = [Ship("Frigga", ["skagerrak"]), Ship("Tor", ["skagerrak", "bottenwiek"])]
    dispatcher = Dispatcher(service, ships)
    dispatcher.start()
    threading.Timer(1.0, announce).start()
    dispatcher.join()
    for ship in ships:
        print(ship.name, ship.bulletins)


if __name__ == "__main__":
    main()
