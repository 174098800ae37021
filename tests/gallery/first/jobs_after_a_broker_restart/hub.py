# SPDX-License-Identifier: Apache-2.0
import os
import selectors


class Hub:
    """Calls what belongs to the descriptors that are readable."""

    def __init__(self):
        self.poller = selectors.DefaultSelector()
        self.readers = {}
        self.wake_r, self.wake_w = os.pipe()
        self.add_reader(self.wake_r, self.drain)

    def add_reader(self, fd, callback, *args):
        self.readers[fd] = callback, args
        self.poller.register(fd, selectors.EVENT_READ)

    def remove(self, fd):
        self.readers.pop(fd, None)
        try:
            self.poller.unregister(fd)
        except KeyError:
            pass

    def drain(self):
        os.read(self.wake_r, 4096)

    def run_once(self):
        for key, _ in self.poller.select():
            found = self.readers.get(key.fd)
            if found:
                callback, args = found
                callback(*args)
