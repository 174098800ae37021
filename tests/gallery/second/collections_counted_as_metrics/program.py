# SPDX-License-Identifier: Apache-2.0
"""Metrics of a web service: counters, and how often the garbage collector ran."""

import gc
import os
import threading
import time


class Metrics:
    def __init__(self):
        self._guard = threading.Lock()
        self._values = {}

    def increase(self, name, labels):
        with self._guard:
            key = (name, tuple(sorted(labels.items())))
            self._values[key] = self._values.get(key, 0) + 1

    def exposition(self):
        with self._guard:
            samples = []
            for (name, labels), value in self._values.items():
                samples.append({"name": name, "labels": dict(labels), "value": value})
            return samples


metrics = Metrics()


def on_collection(phase, info):
    if phase == "stop":
        metrics.increase("python_gc_collections", {"generation": str(info["generation"])})


def serve_requests(count):
    for number in range(count):
        metrics.increase("requests", {"path": f"/article/{number}", "status": "200"})


def main():
    gc.callbacks.append(on_collection)
    server = threading.Thread(target=serve_requests, args=(20,), name="server")
    server.start()
    server.join()
    gc.disable()
    serve_requests(6000)
    gc.enable()
    time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(metrics.exposition()))


main()
