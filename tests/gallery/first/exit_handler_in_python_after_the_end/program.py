# SPDX-License-Identifier: Apache-2.0
"""A library of metrics is given a Python function that writes them out, and calls it from its own
atexit() handler: exit() comes to it when the interpreter has been finalized already."""

import ctypes
import os

Hook = ctypes.CFUNCTYPE(None)
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "metrics.so"))
hooks = []


class Metrics:
    def __init__(self):
        self.counters = {}

    def count(self, name):
        self.counters[name] = self.counters.get(name, 0) + 1

    def flush(self):
        for name, value in self.counters.items():
            print(name, value)


def at_process_exit(function):
    hook = Hook(function)
    hooks.append(hook)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(hook))
    library.metrics_flush_with(hook)


def serve(metrics, requests):
    for request in requests:
        metrics.count(request)


def main():
    metrics = Metrics()
    at_process_exit(metrics.flush)
    serve(metrics, ["GET /", "GET /cart", "GET /"])


main()
