# SPDX-License-Identifier: Apache-2.0
"""A ledger that several threads use."""

import threading
from dataclasses import dataclass, field


@dataclass
class Entry:
    number: int
    text: str
    cents: int
    remarks: list = field(default_factory=list)


class Ledger:
    def __init__(self, day):
        self.day = day
        self._lock = threading.Lock()
        self._entries = []

    def __len__(self):
        return len(self._entries)

    def enter(self, text, cents):
        with self._lock:
            self._entries.append(Entry(len(self._entries), text, cents))

    def total(self):
        with self._lock:
            return sum(entry.cents for entry in self._entries)

    def pages(self, size):
        """Give the entries in pages; nothing is entered between two of them."""
        with self._lock:
            for start in range(0, len(self._entries), size):
                yield self._entries[start : start + size]

    def mark(self, entry, remark):
        with self._lock:
            entry.remarks.append(remark)
