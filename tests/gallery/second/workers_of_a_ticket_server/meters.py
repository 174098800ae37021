# SPDX-License-Identifier: Apache-2.0
"""Counts what a server does, and writes the counts out for the monitoring."""

import threading
import time


class Meters:
    def __init__(self):
        self._guard = threading.Lock()
        self._counts = {}

    def count(self, name):
        with self._guard:
            self._counts[name] = self._counts.get(name, 0) + 1

    def expose(self, sink):
        with self._guard:
            for name, value in sorted(self._counts.items()):
                sink.append(f"{name} {value}")
                time.sleep(0.25)  # the monitoring reads slowly


class Exposition(threading.Thread):
    def __init__(self, meters):
        super().__init__(name="exposition", daemon=True)
        self.meters = meters
        self.pages = []

    def run(self):
        while True:
            page = []
            self.meters.expose(page)
            self.pages.append(page)
            time.sleep(0.05)
