# SPDX-License-Identifier: Apache-2.0
"""Feeds documents through the converter, which is a program of its own, and counts their words."""

import os
import subprocess
import sys


class ConverterFailed(Exception):
    """What the converter wrote about its failure."""


class Converter:
    def __init__(self, *options):
        self.command = [sys.executable, "-u", "converter.py", *options]

    def pages(self, documents):
        """Yields the pages that the converter writes, one a line."""
        with subprocess.Popen(
            [*self.command, *map(str, documents)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            for line in process.stdout:
                yield line.rstrip("\n")
            complaints = process.stderr.read()
            if process.wait():
                raise ConverterFailed(complaints)


def main():
    words = 0
    for number, page in enumerate(Converter("--verbose").pages(range(4000))):
        words += len(page.split())
        if number == 200:
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
    print(words)


if __name__ == "__main__":
    main()
