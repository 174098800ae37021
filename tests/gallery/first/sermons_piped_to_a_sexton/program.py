# SPDX-License-Identifier: Apache-2.0
"""What the organist prints goes through a pipe to a sexton in another process, who is slow."""

import os
import sys
import time


def sexton(reading):
    while True:
        time.sleep(0.5)
        os.read(reading, 100)


def play(verses):
    for verse in verses:
        print("verse", verse, "of many, sung slowly " * 20, flush=True)


def main():
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(writing)
        sexton(reading)
        os._exit(0)
    os.close(reading)
    os.dup2(writing, 1)
    os.close(writing)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    play(range(1_000_000))
    sys.exit()


main()
