# SPDX-License-Identifier: Apache-2.0
"""A brickworks: several charges are prepared at once, but only two may be in the fire."""

import collections
import json
import os
import subprocess
import threading

FIRING = "test $(( {charge} % 4 )) -ne 3"


class Permits:
    """As many as there are kilns, lent to anybody who knows the two descriptors."""

    def __init__(self, kilns):
        self.lent_from, self.given_to = os.pipe()
        os.write(self.given_to, b"K" * kilns)

    def take(self):
        return os.read(self.lent_from, 1)

    def give_back(self, permit):
        os.write(self.given_to, permit)


class Furnace(threading.Thread):
    def __init__(self, number, permits, charges):
        super().__init__(name=f"furnace-{number}")
        self.permits, self.charges = permits, charges
        self.failed = []

    def fire(self, charge):
        permit = self.permits.take()
        subprocess.run(["/bin/sh", "-c", FIRING.format(charge=charge)], check=True)
        self.permits.give_back(permit)

    def run(self):
        while True:
            try:
                charge = self.charges.popleft()
            except IndexError:
                return
            try:
                self.fire(charge)
            except subprocess.CalledProcessError:
                self.failed.append(charge)


def main():
    permits, charges = Permits(2), collections.deque(range(40))
    furnaces = [Furnace(number, permits, charges) for number in range(4)]
    for furnace in furnaces:
        furnace.start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for furnace in furnaces:
        furnace.join()
    print(sum(len(furnace.failed) for furnace in furnaces))


main()
