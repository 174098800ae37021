# SPDX-License-Identifier: Apache-2.0
"""A lighthouse follows the journal of a weather station, which another process writes."""

import os
import time
from pathlib import Path

JOURNAL = Path("journal.txt")


def write_journal():
    """The station: a line now, the storm's in half an hour."""
    with JOURNAL.open("a") as journal:
        journal.write("calm\n")
        journal.flush()
        time.sleep(1800)
        journal.write("storm\n")


def follow(journal):
    """Yields the lines of a file as they come; a busy box, so it asks without a pause."""
    while True:
        line = journal.readline()
        if not line:
            continue
        yield line.strip()


def main():
    JOURNAL.touch()
    if os.fork() == 0:
        write_journal()
        os._exit(0)
    with JOURNAL.open() as journal:
        lines = follow(journal)
        print(next(lines))
        Path("ready").write_text(f"{os.getpid()}\n")
        for line in lines:
            if line == "storm":
                break
    print("the lamp is lit")


if __name__ == "__main__":
    main()
