# SPDX-License-Identifier: Apache-2.0
"""Customer lists are exported by threads; each export reports its progress to the event loop."""

import asyncio
import concurrent.futures
import os
import time


class Progress:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.steps = {}

    async def note(self, name, percent):
        self.steps[name] = percent
        await asyncio.sleep(0)

    def note_from_thread(self, name, percent):
        done = asyncio.run_coroutine_threadsafe(self.note(name, percent), self.loop)
        done.result()


def export(name, rows, progress):
    lines = []
    for number in range(rows):
        lines.append("%s;%d" % (name, number))
        if number % 500 == 499:
            progress.note_from_thread(name, 100 * number // rows)
    return "\n".join(lines)


def tell():
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def nightly():
    progress = Progress()
    with concurrent.futures.ThreadPoolExecutor(3, thread_name_prefix="export") as pool:
        pool.submit(tell)
        jobs = [pool.submit(export, name, 2000, progress) for name in ("north", "south")]
    for job in jobs:
        print(len(job.result()))


asyncio.run(nightly())
