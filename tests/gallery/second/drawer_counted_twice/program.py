# SPDX-License-Identifier: Apache-2.0
"""The drawer of a till is counted by a background thread and at closing time."""

import os
import threading


class Drawer:
    def __init__(self, coins):
        self.coins = coins
        self.busy = threading.RLock()
        self.counts = []

    def total(self):
        with self.busy:
            return sum(value * number for value, number in self.coins.items())

    def count(self, expected):
        """Count the drawer and note the difference to what is expected."""
        self.busy.acquire()
        found = self.total()
        if found == expected:
            return 0
        self.counts.append(found - expected)
        self.busy.release()
        return found - expected


class Shift:
    def __init__(self, drawer):
        self.drawer = drawer

    def spot_check(self):
        print("difference", self.drawer.count(4350), flush=True)

    def close(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        return self.drawer.count(4350)


def main():
    shift = Shift(Drawer({200: 10, 100: 15, 50: 17}))
    checker = threading.Thread(target=shift.spot_check, name="spot-check")
    checker.start()
    checker.join()
    print("closing", shift.close())


main()
