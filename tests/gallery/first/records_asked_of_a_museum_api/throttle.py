# SPDX-License-Identifier: Apache-2.0
"""Keeps to what a server allows."""

import logging
import threading
import time

log = logging.getLogger(__name__)


class Throttle:
    def __init__(self):
        self._lock = threading.Lock()
        self.remaining = None
        self.reset = 0

    def __enter__(self):
        with self._lock:
            if self.remaining == 0:
                log.warning("limit of requests reached, going on after its reset")
                time.sleep(self.reset)
                self.remaining = None
        return self

    def __exit__(self, *reason):
        return False

    def learn(self, headers):
        with self._lock:
            self.remaining = int(headers["X-RateLimit-Remaining"])
            self.reset = int(headers["X-RateLimit-Reset"])
