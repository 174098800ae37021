# SPDX-License-Identifier: Apache-2.0
"""The archive: volumes that are packed by a thread and sealed at the end of the day."""

import concurrent.futures
import random

from packing import PackingStream


class Volume:
    def __init__(self, year):
        self.stream = PackingStream(f"letters of {year}")
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.jobs = []

    def add(self, letters):
        self.jobs.append(self.pool.submit(self.stream.write, letters))

    def seal(self, patience):
        """Close the volume; what is not packed by then goes into the next one."""
        concurrent.futures.wait(self.jobs, timeout=patience)
        with self.stream:
            done = [job for job in self.jobs if job.done()]
        return len(done)


def letters(seed, size):
    source = random.Random(seed)
    words = [b"dear ", b"regards ", b"your letter ", b"of march ", b"received ", b"money "]
    return b"".join(source.choices(words, k=size // 8))
