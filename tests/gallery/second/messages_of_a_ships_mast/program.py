# SPDX-License-Identifier: Apache-2.0
"""Collect the positions of the ships around and tell them to the bridge."""

import json
import os
import socket
import threading
import time

from mast import Mast


class Bridge(threading.Thread):
    """Asks for a ship, then keeps the line for its next question."""

    def __init__(self, address, orders):
        super().__init__(name="bridge", daemon=True)
        self._line = socket.create_connection(address)
        self._orders = orders
        self.known = {}

    def run(self):
        for ship in self._orders:
            self._line.sendall(ship.encode() + b"\n")
            self.known[ship] = json.loads(self._line.recv(256))
            time.sleep(0.1)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        threading.Event().wait()


class Forgetting:
    """Forgets every quarter of an hour who has not been heard of."""

    def __init__(self, mast, seconds):
        self.mast, self.seconds = mast, seconds
        self._lock = threading.Lock()
        self._heard = {}

    def begin(self):
        timer = threading.Timer(self.seconds, self.sweep)
        timer.daemon = True
        timer.start()

    def sweep(self):
        with self._lock:
            for ship in set(self.mast.positions) - set(self._heard):
                del self.mast.positions[ship]
        self.begin()


def hear(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as radio:
        for number, ship in enumerate(("Hansa", "Iris", "Juno")):
            told = {"ship": ship, "at": [54.1 + number / 10, 7.9]}
            radio.sendto(json.dumps(told).encode(), address)


def main():
    mast = Mast()
    Forgetting(mast, 900).begin()
    hear(mast.datagrams.getsockname())
    Bridge(mast.bridge.getsockname(), ["Iris", "Juno", "Kora"]).start()
    mast.serve()


if __name__ == "__main__":
    main()
