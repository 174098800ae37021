# SPDX-License-Identifier: Apache-2.0
"""Reloads files that change: an emitter, a debouncer and a dispatcher, each in its thread."""

import os
import queue
import threading


class PollingEmitter(threading.Thread):
    def __init__(self, folder, events, interval):
        super().__init__(name="emitter", daemon=True)
        self.folder = folder
        self.events = events
        self.interval = interval
        self.stopped = threading.Event()
        self.known = {}

    def run(self):
        while not self.stopped.wait(self.interval):
            for entry in os.scandir(self.folder):
                stamp = entry.stat().st_mtime_ns
                if self.known.get(entry.path) != stamp:
                    self.known[entry.path] = stamp
                    self.events.put(entry.path)


class Debouncer(threading.Thread):
    """Gathers what comes in quick succession."""

    def __init__(self, events, batches, quiet=0.1):
        super().__init__(name="debouncer", daemon=True)
        self.events = events
        self.batches = batches
        self.quiet = quiet

    def run(self):
        while True:
            paths = {self.events.get()}
            try:
                while True:
                    paths.add(self.events.get(timeout=self.quiet))
            except queue.Empty:
                self.batches.put(paths)


class Reloader:
    def __init__(self, folder, interval=0.5):
        self.events = queue.Queue()
        self.batches = queue.Queue()
        self.threads = [
            PollingEmitter(folder, self.events, interval),
            Debouncer(self.events, self.batches),
        ]

    def start(self):
        for thread in self.threads:
            thread.start()

    def changes(self):
        while True:
            yield sorted(self.batches.get())
