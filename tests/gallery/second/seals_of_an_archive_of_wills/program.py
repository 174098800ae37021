# SPDX-License-Identifier: Apache-2.0
"""Wills are sealed by slow key derivation; only two hardware slots may be used at a time."""

import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager


class SlotPool:
    def __init__(self, size):
        self.free = list(range(size))
        self.returned = threading.Condition()
        self.lent = {}

    @contextmanager
    def slot(self):
        with self.returned:
            while not self.free:
                self.returned.wait()
            slot = self.free.pop()
            self.lent[slot] = threading.current_thread().name
        try:
            yield slot
        finally:
            with self.returned:
                del self.lent[slot]
                self.free.append(slot)
                self.returned.notify()


def seal(pool, number):
    will = f"will {number}".encode() * 40
    with pool.slot() as slot:
        key = hashlib.pbkdf2_hmac("sha256", will, b"archive", 4_000_000)
        return number, slot, key.hex()


def main():
    pool = SlotPool(2)
    with ThreadPoolExecutor(16, thread_name_prefix="seal") as clerks:
        wills = [clerks.submit(seal, pool, number) for number in range(200)]
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        for will in as_completed(wills):
            number, slot, key = will.result()
            print(number, slot, key[:16], flush=True)


main()
