# SPDX-License-Identifier: Apache-2.0
"""Night job of an observatory: exposures go through a channel to a pool that reduces them; an
exit stack closes everything that the night opened."""

import os
import queue
import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

CLOSED = object()


class Channel:
    """Hands exposures to several readers; closing it ends them all."""

    def __init__(self, readers):
        self.readers = readers
        self.exposures = queue.Queue()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for _ in range(self.readers):
            self.exposures.put(CLOSED)

    def __iter__(self):
        return iter(self.exposures.get, CLOSED)

    def send(self, exposure):
        self.exposures.put(exposure)


def reduce_from(channel):
    levels = []
    for exposure in channel:
        dark = statistics.median(exposure)
        levels.append(statistics.fmean(value - dark for value in exposure))
    return levels


def expose(number):
    return [100 + (number * 37 + pixel * 11) % 53 for pixel in range(400)]


def observe(night, readers=3):
    with ExitStack() as opened:
        channel = opened.enter_context(Channel(readers))
        pool = opened.enter_context(ThreadPoolExecutor(readers, thread_name_prefix="reducer"))
        reducers = [pool.submit(reduce_from, channel) for _ in range(readers)]
        for number in night:
            channel.send(expose(number))
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
    return [level for reducer in reducers for level in reducer.result()]


print(len(observe(range(24))), "exposures reduced")
