# SPDX-License-Identifier: Apache-2.0
"""Collect the events of a web shop and write them to disk in large batches."""

import json
import os
import queue
import threading
import time

BATCH = 500


class EventSink:
    def __init__(self, path, waiting=100):
        self.pending = queue.Queue(maxsize=waiting)
        self.path = path
        self.thread = threading.Thread(target=self.write_batches, name="writer", daemon=True)
        self.thread.start()

    def track(self, kind, **fields):
        self.pending.put({"kind": kind, **fields})

    def collect_batch(self):
        while self.pending.qsize() < BATCH:
            time.sleep(0.1)
        return [self.pending.get() for _ in range(BATCH)]

    def write_batches(self):
        while True:
            batch = self.collect_batch()
            with open(self.path, "a") as file:
                file.writelines(json.dumps(event) + "\n" for event in batch)


def replay_visits(sink, visits):
    for number in range(visits):
        sink.track("visit", page="/article/%d" % (number % 17), visitor=number)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(0.5, tell).start()
    sink = EventSink("events.jsonl")
    replay_visits(sink, 2000)


main()
