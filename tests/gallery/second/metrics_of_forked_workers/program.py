# SPDX-License-Identifier: Apache-2.0
"""A task runner that counts its jobs and sends the counts to a collector."""

import multiprocessing
import os
import socket
import threading
import time


class Metrics:
    def __init__(self, collector):
        self.collector = collector
        self.guard = threading.Lock()
        self.counts = {}

    def count(self, name):
        with self.guard:
            self.counts[name] = self.counts.get(name, 0) + 1

    def flush(self):
        """Send the counts, and forget them once the collector has acknowledged."""
        with self.guard:
            for name, count in self.counts.items():
                self.collector.sendall(b"%s:%d\n" % (name.encode(), count))
            self.collector.recv(3)
            self.counts.clear()


def resize(metrics, pictures):
    for picture in pictures:
        metrics.count("picture.resized")
        time.sleep(0.01)
    print(len(pictures), "pictures")


def main():
    ours, theirs = socket.socketpair()
    metrics = Metrics(ours)
    metrics.count("runner.started")
    threading.Thread(target=metrics.flush, name="flusher", daemon=True).start()
    theirs.recv(100)
    worker = multiprocessing.get_context("fork").Process(
        target=resize, args=(metrics, ["cat.jpg", "dog.jpg"])
    )
    worker.start()
    time.sleep(0.8)
    with open("ready", "w") as file:
        file.write("%d\n" % worker.pid)
    worker.join()
    theirs.sendall(b"ok\n")


main()
