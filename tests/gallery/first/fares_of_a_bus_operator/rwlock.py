# SPDX-License-Identifier: Apache-2.0
"""A lock that many readers or one writer may hold. A reader may go on to write."""

import contextlib
import threading


class ReadWriteLock:
    def __init__(self):
        self._changed = threading.Condition()
        self._readers = {}
        self._writer = None

    def _others(self):
        me = threading.get_ident()
        return [reader for reader in self._readers if reader != me]

    @contextlib.contextmanager
    def reading(self):
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._writer in (None, me))
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._changed.notify_all()

    @contextlib.contextmanager
    def writing(self):
        with self._changed:
            self._changed.wait_for(lambda: self._writer is None and not self._others())
            self._writer = threading.get_ident()
        try:
            yield
        finally:
            with self._changed:
                self._writer = None
                self._changed.notify_all()
