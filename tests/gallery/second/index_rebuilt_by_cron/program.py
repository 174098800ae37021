# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the search index of a shop; cron starts it every quarter of an hour."""

import contextlib
import fcntl
import os
import subprocess
import sys
from pathlib import Path

LOCK = "rebuild_index.lock"


@contextlib.contextmanager
def single_run(path):
    handle = open(path, "a+")
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n")
        handle.flush()
        yield
    finally:
        handle.close()


def rebuild_index(shop):
    words = {}
    for article in range(2000):
        words.setdefault(f"{shop}{article % 31}", []).append(article)
    Path(f"{shop}.index").write_text(repr(words))


def earlier_run():
    """Start what cron has started a quarter of an hour ago."""
    earlier = subprocess.Popen(
        [sys.executable, "earlier.py", LOCK], stdout=subprocess.PIPE, text=True
    )
    assert earlier.stdout.readline() == "locked\n"


def main():
    with single_run(LOCK):
        for shop in ("garden", "kitchen"):
            rebuild_index(shop)


if __name__ == "__main__":
    earlier_run()
    Path("ready").write_text(f"{os.getpid()}\n")
    main()
