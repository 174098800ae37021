# SPDX-License-Identifier: Apache-2.0
"""What an ingest remembers from record to record, bounded by number and by size."""

from __future__ import annotations

from typing import Any, TypeVar

_Value = TypeVar("_Value")

MAX_BYTES = 16 << 20  # of the keys as Python writes them; what hangs on them is two to five times


class BoundedCache(dict[Any, _Value]):
    """Values by key. A hostile feed has a new key, of megabytes, in each record."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._bytes = 0

    def keep(self, key: Any, value: _Value) -> None:
        """Remember a value; `is_full` may be true afterwards."""
        self._bytes += len(repr(key))
        self[key] = value

    @property
    def is_full(self) -> bool:
        """Whether there is enough of it to be forgotten."""
        return len(self) >= self._most or self._bytes >= MAX_BYTES

    def forget(self) -> None:
        """Forget all of it."""
        self.clear()
        self._bytes = 0
