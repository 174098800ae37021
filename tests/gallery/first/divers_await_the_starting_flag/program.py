# SPDX-License-Identifier: Apache-2.0
"""A referee in another process raises a flag in shared memory; the clock starts then."""

import mmap
import multiprocessing
import os
import time

context = multiprocessing.get_context("fork")
RAISED = 1


def referee(page, divers):
    for diver in divers:
        print(diver["name"], diver["club"], flush=True)
    page[0] = RAISED


def start_clock(flag):
    while flag[0] != RAISED:
        pass
    return time.perf_counter()


def main():
    page = mmap.mmap(-1, mmap.PAGESIZE)
    divers = [{"name": "Ana", "club": "Split"}, {"name": "Bo"}]
    context.Process(target=referee, args=(page, divers), daemon=True).start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(start_clock(memoryview(page)))


main()
