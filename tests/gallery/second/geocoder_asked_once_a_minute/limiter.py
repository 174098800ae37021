# SPDX-License-Identifier: Apache-2.0
"""A token bucket; it sleeps with its lock held, so that the requests keep their order."""

import threading
import time


class RateLimiter:
    def __init__(self, burst, every):
        self._lock = threading.Lock()
        self._tokens = burst
        self._every = every
        self._last = time.monotonic()
        self.sleeping = threading.Event()

    def __enter__(self):
        with self._lock:
            while True:
                now = time.monotonic()
                gained = int((now - self._last) / self._every)
                if gained:
                    self._tokens += gained
                    self._last += gained * self._every
                if self._tokens:
                    self._tokens -= 1
                    return self
                self.sleeping.set()
                time.sleep(max(0.0, self._last + self._every - now))

    def __exit__(self, *_):
        return False
