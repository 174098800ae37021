"""A lock for many readers or one writer."""

import contextlib
import threading


class ReadWriteLock:
    def __init__(self):
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False

    def acquire_read(self):
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._readers += 1

    def release_read(self):
        with self._changed:
            self._readers -= 1
            if not self._readers:
                self._changed.notify_all()

    @contextlib.contextmanager
    def reading(self):
        self.acquire_read()
        yield
        self.release_read()

    @contextlib.contextmanager
    def writing(self):
        with self._changed:
            while self._readers or self._writing:
                self._changed.wait()
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
