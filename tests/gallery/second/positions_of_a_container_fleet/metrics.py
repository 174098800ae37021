# SPDX-License-Identifier: Apache-2.0
"""Counters and gauges, and a thread that reports them."""

import logging
import threading
from dataclasses import dataclass, field

log = logging.getLogger(__name__)


@dataclass
class Metrics:
    counters: dict = field(default_factory=dict)
    gauges: dict = field(default_factory=dict)
    mutex: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def gauge(self, name, measure):
        with self.mutex:
            self.gauges[name] = measure

    def count(self, name, amount=1):
        with self.mutex:
            self.counters[name] = self.counters.get(name, 0) + amount

    def snapshot(self):
        with self.mutex:
            values = dict(self.counters)
            for name, measure in self.gauges.items():
                values[name] = measure()
            return values


class Reporter(threading.Thread):
    def __init__(self, metrics, every):
        super().__init__(name="metrics-reporter", daemon=True)
        self.metrics, self.every = metrics, every
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(self.every):
            log.info("%s", self.metrics.snapshot())
