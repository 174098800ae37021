# SPDX-License-Identifier: Apache-2.0
"""The counter between bakehouse and vans: trays are put down, taken, and counted at closing."""

import collections
import threading


class Counter:
    """Holds few trays; both sides and the clerk share one condition."""

    def __init__(self, places):
        self.places = places
        self.trays = collections.deque()
        self.changed = threading.Condition()

    def put_down(self, tray):
        with self.changed:
            while len(self.trays) >= self.places:
                self.changed.wait()
            self.trays.append(tray)
            self.changed.notify()

    def pick_up(self):
        with self.changed:
            while not self.trays:
                self.changed.wait()
            tray = self.trays.popleft()
            self.changed.notify()
            return tray

    def wait_until(self, enough):
        """Wait until the number of trays satisfies a condition."""
        with self.changed:
            while not enough(len(self.trays)):
                self.changed.wait()
