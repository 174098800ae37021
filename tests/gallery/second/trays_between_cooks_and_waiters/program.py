# SPDX-License-Identifier: Apache-2.0
"""A canteen simulation: cooks put trays on a narrow counter, waiters take them away."""

import json
import os
import threading
import time


class Counter:
    """Room for one tray."""

    def __init__(self):
        self.changed = threading.Condition()
        self.tray = None
        self.waiting = 0

    def put(self, tray):
        with self.changed:
            while self.tray is not None:
                self.changed.wait()
            self.tray = tray
            self.changed.notify()

    def put_course(self, trays):
        """Put the trays of one course without another cook's tray between them."""
        with self.changed:
            for tray in trays:
                self.put(tray)

    def take(self):
        with self.changed:
            self.waiting += 1
            while self.tray is None:
                self.changed.wait()
            self.waiting -= 1
            tray, self.tray = self.tray, None
            self.changed.notify()
            return tray


def serve(counter, served):
    while True:
        served.append(counter.take())


def main():
    counter, served = Counter(), []
    for number in range(2):
        threading.Thread(
            target=serve, args=(counter, served), name=f"waiter-{number}", daemon=True
        ).start()
    while counter.waiting < 2:
        time.sleep(0.02)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    counter.put_course(["soup", "trout", "plum cake"])
    print(served)


main()
