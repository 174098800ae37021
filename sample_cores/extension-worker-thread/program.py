# SPDX-License-Identifier: Apache-2.0
"""Two loader threads, one of which dies in a C extension with the GIL released."""

from __future__ import annotations

import threading
import time

import _segments

START_DELAY = 0.5  # so that the other threads have reached the place where they wait


class Shard:
    """A piece of input: parts, and how many of them its header announces."""

    def __init__(self, name, parts, announced):
        self.name = name
        self.parts = parts
        self.announced = announced

    def verify(self):
        """Return the checksum of the shard."""
        return _segments.checksum(self.parts, self.announced)


def load_shards(shards):
    """Verify each shard."""
    time.sleep(START_DELAY)
    totals = []
    for shard in shards:
        totals.append(shard.verify())
    return totals


def wait_for_disk(seconds):
    """Stand for a loader that waits for its next shard."""
    time.sleep(seconds)


def main():
    """Start both loaders and wait for them."""
    good = Shard("shard-0001", [b"alpha", b"beta", b"gamma"], announced=3)
    short = Shard("shard-0002", [b"delta", b"epsilon"], announced=3)
    first = threading.Thread(target=load_shards, args=([good, short],), name="loader-1")
    second = threading.Thread(target=wait_for_disk, args=(3600,), name="loader-2", daemon=True)
    first.start()
    second.start()
    first.join()


main()
