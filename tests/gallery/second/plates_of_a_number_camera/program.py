# SPDX-License-Identifier: Apache-2.0
"""Reads number plates at the entrance of a car park, hour by hour."""

import os
import random
import time

from supervisor import Supervisor


class CarPark:
    def __init__(self):
        self.supervisor = Supervisor(3)
        self.seen = []
        self.source = random.Random(8)

    def frames(self, count):
        return [bytes(self.source.randrange(256) for _ in range(400)) for _ in range(count)]

    def hour(self, cars):
        self.seen += self.supervisor.read(self.frames(cars))


def main():
    park = CarPark()
    park.hour(6)
    print(park.seen, flush=True)
    time.sleep(0.3)
    park.supervisor.rotate()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    park.hour(4)
    print(park.seen, flush=True)


if __name__ == "__main__":
    main()
