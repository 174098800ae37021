# SPDX-License-Identifier: Apache-2.0
"""Tells the readings of a hothouse to a broker; runs as a daemon in the night."""

import random
import time

from courier import Client
from daemon import DaemonContext


class Hothouse:
    def __init__(self, client):
        self.client = client
        self.source = random.Random(2)

    def read(self):
        return round(self.source.gauss(24.0, 0.8), 1)

    def tell(self, count):
        for _ in range(count):
            self.client.publish(f"{self.read()} degrees")
            time.sleep(0.01)


def main():
    hothouse = Hothouse(Client("hothouse/3"))
    hothouse.tell(4)
    print("told at the start:", hothouse.client.delivered, "bytes", flush=True)
    with DaemonContext("hothouse.log"):
        hothouse.tell(1000)


if __name__ == "__main__":
    main()
