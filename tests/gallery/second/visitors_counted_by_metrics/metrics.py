# SPDX-License-Identifier: Apache-2.0
"""Counters and the registry that shows them."""

import threading


class Counter:
    def __init__(self, name, registry):
        self.name = name
        self._lock = registry.lock
        self._values = {}
        registry.register(self)

    def inc(self, label, amount=1):
        with self._lock:
            self._values[label] = self._values.get(label, 0) + amount

    def samples(self):
        for label in sorted(self._values):
            yield f'{self.name}{{gate="{label}"}} {self._values[label]}'


class Registry:
    def __init__(self):
        self.lock = threading.Lock()
        self._metrics = []

    def register(self, metric):
        with self.lock:
            self._metrics.append(metric)

    def expose(self):
        """Return the text that a scraper reads."""
        lines = []
        with self.lock:
            for metric in self._metrics:
                lines += metric.samples()
        return "\n".join(lines)
