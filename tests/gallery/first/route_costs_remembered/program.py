# SPDX-License-Identifier: Apache-2.0
"""A planner finds the cheapest route along a line of stops; its answers are remembered."""

import functools
import sys
import threading

STOPS = 60000
TOLLS = [3 + n * 7 % 11 for n in range(STOPS)]


@functools.lru_cache(maxsize=None)
def cheapest(stop):
    """The cost from a stop to the end, with one or two stops at a time."""
    if stop >= STOPS - 1:
        return 0
    return TOLLS[stop] + min(cheapest(stop + 1), cheapest(stop + 2))


class Planner(threading.Thread):
    def __init__(self):
        super().__init__(name="planner")
        self.answer = None

    def run(self):
        self.answer = cheapest(0)


def main():
    sys.setrecursionlimit(STOPS * 4)
    threading.stack_size(128 << 10)  # there are thousands of planners in production
    planner = Planner()
    planner.start()
    planner.join()
    print(planner.answer)


main()
