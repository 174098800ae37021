# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "dying_in_collector-list", "arguments": ["list"]}
# corpus: {"name": "dying_in_collector-dict", "arguments": ["dict"]}
"""Die in the collector's own C code, traversing a container whose item points to nowhere."""

import ctypes
import gc
import signal
import sys

import deathbed

WORD = ctypes.sizeof(ctypes.c_void_p)
# An object there is not mapped: reading its type, or its collector's head, ends the process.
NOWHERE = 0x7F00DEAD0000


class Holder:
    pass


def spoil(container, item):
    """Overwrite the pointer to an item inside of a container's table."""
    # Behind the object's head: size, items (list); used, version or watchers, keys (dict).
    behind = object.__basicsize__ // WORD
    place = behind + (1 if isinstance(container, list) else 2)
    words = (ctypes.c_size_t * (place + 1)).from_address(id(container))
    table = words[place]
    slots = (ctypes.c_size_t * 64).from_address(table)
    index = next(n for n, word in enumerate(slots) if word == id(item))
    slots[index] = NOWHERE


def main(kind):
    item = Holder()
    if kind == "list":
        container = [Holder(), item, Holder()]
    else:
        container = {number: Holder() for number in range(4)}
        container["item"] = item
    spoil(container, item)
    collect(deathbed.Way("gc", gc.collect, (), signal.SIGSEGV, True), container)


def collect(way, container):
    deathbed.die(way)


if __name__ == "__main__":
    gc.disable()
    main(sys.argv[2])
