# SPDX-License-Identifier: Apache-2.0
"""A logger process sends the readings of a weir until its file is at its end."""

import multiprocessing
import os
from pathlib import Path


def read_log(sender, name):
    with open(name) as lines:
        for line in lines:
            stamp, level = line.split()
            sender.send((int(stamp), float(level)))
    sender.close()


def collect(receiver):
    levels = []
    while True:
        try:
            levels.append(receiver.recv())
        except EOFError:
            return levels


def main():
    Path("weir.log").write_text("".join(f"{n * 60} {2 + n % 7 / 10}\n" for n in range(500)))
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    reader = context.Process(target=read_log, args=(sender, "weir.log"))
    reader.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    levels = collect(receiver)
    reader.join()
    print(len(levels), "readings, highest", max(level for _, level in levels))


if __name__ == "__main__":
    main()
