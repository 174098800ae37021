# SPDX-License-Identifier: Apache-2.0
"""The playout queue of a radio station: recordings are loaded ahead and aired in turn."""

import gc

import playout


def load_recording(minutes):
    """Return the samples of a recording; they come from the archive in one piece."""
    return bytes(minutes * (12 << 20))


def fill(queue, schedule):
    for minutes in schedule:
        queue.add(load_recording(minutes))


def air(queue):
    recording = queue.take()
    return sum(recording[:4800])


def tidy_up():
    return gc.collect()


def hour(queue, schedule):
    fill(queue, schedule)
    tidy_up()
    levels = []
    while queue.length():
        levels.append(air(queue))
        tidy_up()
    return levels


station = playout.Queue()
print(hour(station, [4, 5, 6]))
