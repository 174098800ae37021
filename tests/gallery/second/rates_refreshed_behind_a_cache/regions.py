# SPDX-License-Identifier: Apache-2.0
"""A cache whose values are created by one thread for each key; others wait for it."""

import threading
import time
from dataclasses import dataclass, field


@dataclass
class Value:
    payload: object
    created: float = field(default_factory=time.monotonic)


class Region:
    def __init__(self, lifetime):
        self.lifetime = lifetime
        self._values = {}
        self._mutexes = {}
        self._guard = threading.Lock()

    def _mutex(self, key):
        with self._guard:
            return self._mutexes.setdefault(key, threading.Lock())

    def _fresh(self, key):
        value = self._values.get(key)
        if value is not None and time.monotonic() - value.created < self.lifetime:
            return value
        return None

    def get_or_create(self, key, creator):
        value = self._fresh(key)
        if value is None:
            with self._mutex(key):
                value = self._fresh(key)
                if value is None:
                    value = self._values[key] = Value(creator())
        return value.payload
