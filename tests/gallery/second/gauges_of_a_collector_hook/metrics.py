# SPDX-License-Identifier: Apache-2.0
"""Counters and gauges with labels; one lock per metric."""

import threading


class Metric:
    def __init__(self, name, lock):
        self.name = name
        self.lock = lock
        self.values = {}

    def add(self, amount, **labels):
        key = tuple(sorted(labels.items()))
        with self.lock:
            self.values[key] = self.values.get(key, 0) + amount

    def set(self, value, **labels):
        key = tuple(sorted(labels.items()))
        with self.lock:
            self.values[key] = value

    def samples(self):
        with self.lock:
            return [(self.name, dict(key), value) for key, value in self.values.items()]


class Registry:
    def __init__(self):
        self.lock = threading.Lock()
        self.metrics = []

    def counter(self, name):
        metric = Metric(name, self.lock)
        self.metrics.append(metric)
        return metric

    gauge = counter


def render(registry):
    lines = []
    for metric in registry.metrics:
        for name, labels, value in metric.samples():
            inner = ",".join(f'{key}="{text}"' for key, text in labels.items())
            lines.append(f"{name}{{{inner}}} {value}")
    return "\n".join(lines) + "\n"
