# SPDX-License-Identifier: Apache-2.0
"""A depot lends its vans and trucks to couriers and hauliers."""

import os
import threading
import time


class Depot:
    def __init__(self, vans, trucks):
        self.free = {"van": vans, "truck": trucks}
        self.changed = threading.Condition()

    def lend(self, kind):
        with self.changed:
            while not self.free[kind]:
                self.changed.wait()
            self.free[kind] -= 1

    def give_back(self, kind):
        with self.changed:
            self.free[kind] += 1
            self.changed.notify()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def courier(depot, loaded):
    depot.lend("van")
    loaded.wait()
    depot.give_back("van")


def haulier(depot, loaded):
    depot.lend("truck")
    loaded.set()
    depot.give_back("truck")


def main():
    depot, loaded = Depot(vans=1, trucks=1), threading.Event()
    depot.lend("truck")
    crew = [
        threading.Thread(target=courier, args=(depot, loaded), name="courier-north"),
        threading.Thread(target=courier, args=(depot, loaded), name="courier-south"),
        threading.Thread(target=haulier, args=(depot, loaded), name="haulier"),
    ]
    for member in crew:
        member.start()
        time.sleep(0.3)
    depot.give_back("truck")
    threading.Timer(0.3, tell).start()
    for member in crew:
        member.join()


main()
