# SPDX-License-Identifier: Apache-2.0
"""The master of a small crew of workers: replaces those that end, and counts what happens."""

import os
import signal
import subprocess
import sys

from metrics import Counter, Registry

WORK = "import time; time.sleep({seconds})"


class Arbiter:
    def __init__(self):
        self.registry = Registry()
        self.visits = Counter("visits_total", self.registry)
        self.ends = Counter("worker_ends_total", self.registry)
        self.workers = {}
        self.stopping = False

    def start(self, names):
        signal.signal(signal.SIGCHLD, self.on_child)
        for name in names:
            command = [sys.executable, "-S", "-c", WORK.format(seconds=2)]
            self.workers[name] = subprocess.Popen(command)

    def on_child(self, signum, frame):
        for name, worker in list(self.workers.items()):
            if worker.poll() is not None:
                self.log(f"{name} ended with {worker.returncode}")
                self.ends.inc(name)
                del self.workers[name]

    def log(self, text):
        os.write(2, (text + "\n").encode())

    def serve(self, gates):
        """Count visitors until all workers are gone, and show the counts now and then."""
        visits = 0
        while self.workers:
            self.visits.inc(f"gate {visits % gates:05d}")
            visits += 1
            if visits % 500 == 0:
                self.registry.expose()
        return visits
