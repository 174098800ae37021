# SPDX-License-Identifier: Apache-2.0
"""A chess club's clock: a timer notes the end of the round in the list at which the hall looks."""

import os
import threading
import time
from pathlib import Path

ROUND = 5400.0


def begin_round(calls):
    """Starts the timer that ends the round."""
    timer = threading.Timer(ROUND, calls.append, ("time",))
    timer.daemon = True
    timer.start()
    return timer


def show_until_called(calls):
    """Returns when somebody has called the end."""
    while not calls:
        time.sleep(0.5)


def main():
    calls = []
    timer = begin_round(calls)
    Path("ready").write_text(f"{os.getpid()}\n")
    show_until_called(calls)
    timer.cancel()
    print("the round is over:", calls)


if __name__ == "__main__":
    main()
