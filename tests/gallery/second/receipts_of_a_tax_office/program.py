# SPDX-License-Identifier: Apache-2.0
"""Signs receipts in the order of their numbers and keeps the chain of signatures."""

import hashlib
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Signer:
    def __init__(self):
        self.unit = ThreadPoolExecutor(1, thread_name_prefix="signature-unit")
        self.chain = []
        self.done = threading.Semaphore(0)

    def sign(self, text):
        time.sleep(0.02)
        return hashlib.sha256(text.encode()).hexdigest()

    def submit(self, number):
        signed = self.unit.submit(self.sign, f"receipt {number}")
        signed.add_done_callback(self.append)

    def append(self, signed):
        if self.chain and len(self.chain) % 10 == 0:
            self.chain.append(self.seal())
        self.chain.append(signed.result())
        self.done.release()

    def seal(self):
        return self.unit.submit(self.sign, "".join(self.chain[-10:])).result()


def counter(signer, first):
    for number in range(first, first + 30):
        signer.submit(number)
        time.sleep(0.01)


def clock_watch():
    while True:
        time.sleep(0.5)
        Path("drift").write_text("0.0")


def main():
    signer = Signer()
    threading.Thread(target=clock_watch, name="clock-watch", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for desk in range(2):
        threading.Thread(target=counter, args=(signer, desk * 100), name=f"desk-{desk}").start()
    for _ in range(60):
        signer.done.acquire()
    signer.unit.shutdown()


if __name__ == "__main__":
    main()
