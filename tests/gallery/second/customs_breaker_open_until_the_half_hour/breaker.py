# SPDX-License-Identifier: Apache-2.0
"""A circuit breaker: after some failures nobody may call for a time; then one may try."""

import threading
import time


class Open(Exception):
    def __init__(self, seconds):
        super().__init__(seconds)
        self.seconds = seconds


class Breaker:
    def __init__(self, failures, seconds):
        self._changed = threading.Condition()
        self._left = self._limit = failures
        self._seconds = seconds
        self._until = None
        self.opened = threading.Event()

    def __enter__(self):
        with self._changed:
            if self._until is not None:
                left = self._until - time.monotonic()
                if left > 0:
                    raise Open(left)
                self._until, self._left = None, 1
        return self

    def __exit__(self, kind, error, trace):
        with self._changed:
            if kind is None:
                self._left = self._limit
                self._changed.notify_all()
            elif issubclass(kind, OSError):
                self._left -= 1
                if self._left <= 0 and self._until is None:
                    self._until = time.monotonic() + self._seconds
                    self.opened.set()
        return False

    def wait_half_open(self):
        """Wait until the time is over, or until somebody's call went well."""
        with self._changed:
            if self._until is not None:
                self._changed.wait(self._until - time.monotonic())
