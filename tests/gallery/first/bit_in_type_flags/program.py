# SPDX-License-Identifier: Apache-2.0
"""A web shop counts visits; each visit is a small object that lives as long as its batch."""

import ctypes
import json
import os
import struct


class Visit:
    __slots__ = ("path", "seconds", "referrer")

    def __init__(self, path, seconds, referrer):
        self.path, self.seconds, self.referrer = path, seconds, referrer


def collect(batch, size):
    return [Visit(f"/item/{batch}/{n}", n * 0.25, [batch, n]) for n in range(size)]


def summarise(visits):
    longest = max(visits, key=lambda visit: visit.seconds)
    return longest.path, sum(visit.seconds for visit in visits), visits[0].referrer


def count_visits(batches, size):
    totals = {}
    for batch in batches:
        visits = collect(batch, size)
        totals[batch] = summarise(visits)
        visits.sort(key=lambda visit: visit.path)
        del visits[::2]
    return totals


def main():
    print(len(count_visits(range(3), 100)))
    body = ctypes.string_at(id(Visit), 400)
    flags = id(Visit) + body.index(struct.pack("L", Visit.__flags__))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[flags, 14]]}) + "\n")
    input()
    print(count_visits(range(3, 30), 100))


main()
