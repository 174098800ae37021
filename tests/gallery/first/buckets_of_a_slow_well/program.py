# SPDX-License-Identifier: Apache-2.0
"""Gardeners take buckets from a well that fills up again; who finds it empty waits."""

import os
import threading
import time


class Well:
    def __init__(self, buckets):
        self.buckets = buckets
        self.full = buckets
        self.changed = threading.Condition()

    def take(self):
        with self.changed:
            while self.buckets == 0:
                self.changed.wait()
            self.buckets -= 1

    def fill_up(self):
        while True:
            time.sleep(600)
            with self.changed:
                if self.buckets < self.full:
                    self.buckets = self.full
                    self.changed.notify_all()


def main():
    well = Well(3)
    threading.Thread(target=well.fill_up, name="spring", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for bed in ("beans", "peas", "leek", "kale", "dill"):
        well.take()
        print("watered", bed, flush=True)


main()
