# SPDX-License-Identifier: Apache-2.0
"""Load records whose payload lives in C memory; one of them carries a NULL pointer."""

from __future__ import annotations

import ctypes
import threading
import time

PAYLOAD_BYTES = 24
SETTLE_SECONDS = 0.3  # so that the other thread has reached the place where it waits


class Record(ctypes.Structure):
    """What the (imaginary) reader library hands out: the payload pointer may be NULL."""

    _fields_ = [
        ("key", ctypes.c_uint32),
        ("length", ctypes.c_uint32),
        ("payload", ctypes.c_void_p),
    ]


def copy_payload(record):
    """Copy without a look at the pointer: the bug."""
    target = ctypes.create_string_buffer(record.length)
    ctypes.memmove(target, record.payload, record.length)
    return target.raw


class BatchLoader:
    """Parse batches of records."""

    def __init__(self, records):
        self.records = records
        self.parsed = {}

    def parse_record(self, record):
        """Parse one record."""
        self.parsed[record.key] = copy_payload(record)

    def load_batch(self, batch_id):
        """Parse every record of the batch."""
        for record in self.records:
            self.parse_record(record)
        return batch_id


def flush_forever(wake_up):
    """Stand for the thread that writes results now and then."""
    wake_up.wait()


def make_records(buffer):
    """Make six good records and one whose payload is NULL."""
    good = [Record(key, PAYLOAD_BYTES, ctypes.addressof(buffer)) for key in range(100, 106)]
    return [*good, Record(106, PAYLOAD_BYTES, None)]


def main():
    """Start the flusher, then load."""
    wake_up = threading.Event()
    threading.Thread(target=flush_forever, args=(wake_up,), name="flusher", daemon=True).start()
    time.sleep(SETTLE_SECONDS)
    buffer = ctypes.create_string_buffer(b"all work and no play", PAYLOAD_BYTES)
    loader = BatchLoader(make_records(buffer))
    loader.load_batch(batch_id=17)


main()
