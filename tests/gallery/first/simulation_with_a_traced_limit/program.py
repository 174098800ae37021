# SPDX-License-Identifier: Apache-2.0
"""A river's model runs until it is calm, or until a trace function says that its time is over."""

import os
import sys
import time
from pathlib import Path

LIMIT = 1800.0


class OutOfTime(Exception):
    """The model has had its time."""


def limit_by_trace(seconds):
    """Returns a function for sys.settrace() that raises when the time is over."""
    end = time.monotonic() + seconds

    def trace(frame, event, argument):
        if time.monotonic() > end:
            raise OutOfTime
        return trace

    return trace


def settle(level):
    """Goes on until the level no longer changes sides."""
    calm = False
    while not calm:
        level = -level
        calm = level == 0
    return level


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    sys.settrace(limit_by_trace(LIMIT))
    try:
        settle(7)
    except OutOfTime:
        sys.settrace(None)
        print("not calm in time")


if __name__ == "__main__":
    main()
