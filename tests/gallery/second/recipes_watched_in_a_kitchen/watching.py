# SPDX-License-Identifier: Apache-2.0
"""Watches folders for files that change: emitters find events, an observer hands them out."""

import os
import threading


class Emitter(threading.Thread):
    """Looks at one folder; tells the observer what it found."""

    def __init__(self, folder, observer, interval=0.1):
        super().__init__(name=f"emitter {os.path.basename(folder)}", daemon=True)
        self.folder = folder
        self.observer = observer
        self.interval = interval
        self.stopping = threading.Event()
        self.seen = self.snapshot()

    def snapshot(self):
        with os.scandir(self.folder) as entries:
            return {entry.name: entry.stat().st_mtime_ns for entry in entries}

    def run(self):
        while not self.stopping.wait(self.interval):
            now = self.snapshot()
            for name in sorted(now):
                if self.seen.get(name) != now[name]:
                    self.observer.dispatch(self.folder, name)
            self.seen = now


class Observer:
    def __init__(self):
        self._lock = threading.RLock()
        self._emitters = {}
        self._handlers = {}

    def schedule(self, handler, folder):
        with self._lock:
            self._handlers.setdefault(folder, []).append(handler)
            if folder not in self._emitters:
                self._emitters[folder] = Emitter(folder, self)
                self._emitters[folder].start()

    def unschedule(self, folder):
        with self._lock:
            emitter = self._emitters.pop(folder)
            emitter.stopping.set()
            emitter.join()
            del self._handlers[folder]

    def dispatch(self, folder, name):
        with self._lock:
            handlers = list(self._handlers.get(folder, ()))
        for handler in handlers:
            handler(os.path.join(folder, name))

    def folders(self):
        with self._lock:
            return sorted(self._emitters)
