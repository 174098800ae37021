# SPDX-License-Identifier: Apache-2.0
"""Builds digests of all mailboxes in a few processes."""

import hashlib
import multiprocessing
import os
from pathlib import Path

MAILBOXES = [f"user{number:03d}" for number in range(64)]


def digest_mailboxes(names, results):
    for name in names:
        parts = [hashlib.sha256(f"{name}/{n}".encode()).hexdigest() for n in range(300)]
        results.put((name, parts))


class DigestRun:
    def __init__(self, workers):
        self.results = multiprocessing.Queue()
        self.processes = [
            multiprocessing.Process(
                target=digest_mailboxes, args=(MAILBOXES[n::workers], self.results)
            )
            for n in range(workers)
        ]

    def gather_digests(self):
        for process in self.processes:
            process.start()
        for process in self.processes:
            process.join()
        found = {}
        while not self.results.empty():
            name, parts = self.results.get()
            found[name] = parts
        return found


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    Path("ready").write_text(f"{os.getpid()}\n")
    print(len(DigestRun(2).gather_digests()))
