# SPDX-License-Identifier: Apache-2.0
"""A small runner of checks."""

import threading
import time
from dataclasses import dataclass

from capture import OutputCapture


@dataclass
class Outcome:
    name: str
    passed: bool
    seconds: float
    output: str


class SlowCheckReporter(threading.Thread):
    def __init__(self, limit):
        super().__init__(name="slow-checks", daemon=True)
        self.limit, self.done, self.current = limit, threading.Event(), None

    def run(self):
        while not self.done.wait(self.limit):
            pass


class Runner:
    def __init__(self, checks):
        self.checks = checks
        self.outcomes = []
        self.reporter = SlowCheckReporter(900)

    def run(self):
        self.reporter.start()
        for check in self.checks:
            self.reporter.current = check.__name__
            self.outcomes.append(self._run_one(check))
        self.reporter.done.set()
        return self.outcomes

    def _run_one(self, check):
        began = time.monotonic()
        passed = True
        with OutputCapture() as capture:
            try:
                check()
            except AssertionError:
                passed = False
        return Outcome(check.__name__, passed, time.monotonic() - began, capture.output)
