# SPDX-License-Identifier: Apache-2.0
"""A generator that is suspended inside a with statement holds the lock that the main thread
wants.
"""

import os
import threading

INDEX_LOCK = threading.Lock()
INDEX = {"a": 1, "b": 2, "c": 3}


def entries():
    with INDEX_LOCK:
        for name, place in INDEX.items():
            yield name, place


def find(wanted, cursor):
    for name, place in cursor:
        if name == wanted:
            return place
    return None


def add_entry(name, place):
    with INDEX_LOCK:
        INDEX[name] = place


def main():
    cursor = entries()
    place = find("b", cursor)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    add_entry("d", place + 2)


main()
