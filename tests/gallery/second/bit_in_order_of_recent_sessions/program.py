# SPDX-License-Identifier: Apache-2.0
"""Session table: the sessions of a site in the order of their last visit."""

import collections
import ctypes
import json
import os

FIRST, NEXT = 48, 16  # first node in an OrderedDict; next node in a node


def word(address):
    return ctypes.c_size_t.from_address(address).value


def visit(sessions, name):
    sessions[name] = sessions.get(name, 0) + 1
    sessions.move_to_end(name)


def main():
    sessions = collections.OrderedDict((f"session-{n:03}", n % 5) for n in range(60))
    for number in (7, 31, 12):
        visit(sessions, f"session-{number:03}")
    node = word(id(sessions) + FIRST)
    for _ in range(20):
        node = word(node + NEXT)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[node + NEXT, 38]]}) + "\n")
    input()
    for round_ in range(3):
        busiest = [name for name in sessions if sessions[name] > 3]
        print(round_, len(busiest), flush=True)


main()
