# SPDX-License-Identifier: Apache-2.0
"""The ledger of a housing association."""

import itertools
import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Posting:
    number: int
    flat: str
    cents: int


class Ledger:
    def __init__(self):
        self._postings = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def post(self, flat, cents):
        with self._lock:
            posting = Posting(next(self._numbers), flat, cents)
            self._postings.append(posting)
            return posting

    def of_flat(self, flat):
        """Yield the postings of a flat; nothing changes meanwhile."""
        with self._lock:
            for posting in self._postings:
                if posting.flat == flat:
                    yield posting
