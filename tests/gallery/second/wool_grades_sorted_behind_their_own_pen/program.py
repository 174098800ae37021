# SPDX-License-Identifier: Apache-2.0
"""A wool exchange sorts its bales by sort(1), fed through a pipe that it makes itself."""

import contextlib
import os
import random
import subprocess

import bales


class Sorter:
    """sort(1) reads the pipe; `feed` is our end of it."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        entrance, self.feed = os.pipe()
        # Some graders open /dev/fd/N of their own: the ends stay open in the children.
        os.set_inheritable(entrance, True)
        os.set_inheritable(self.feed, True)
        self.child = subprocess.Popen(
            ["sort", *self.options], stdin=entrance, stdout=subprocess.PIPE, close_fds=False
        )
        os.close(entrance)
        return self

    def __exit__(self, *_):
        self.child.stdout.close()
        self.child.wait()

    def write(self, lines):
        for line in lines:
            os.write(self.feed, line.encode() + b"\n")

    def finish(self):
        os.close(self.feed)
        return self.child.stdout.read().decode().splitlines()


def grade(flock):
    """Return a flock's bales, the finest first."""
    with Sorter("-t", "\t", "-k2,2n") as sorter:
        sorter.write(bales.as_line(bale) for bale in flock)
        announce()
        return [bales.from_line(line) for line in sorter.finish()]


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def catalogue(flocks):
    for name, flock in flocks.items():
        print(name, len(flock), "bales", flush=True)
        graded = grade(flock)
        with contextlib.suppress(IndexError):
            print("   finest:", graded[0].mark, graded[0].micron, flush=True)


def main():
    random.seed(8)
    flocks = {
        "Saxony": bales.sample("SX", 40),
        "Merino": bales.sample("ME", 60),
        "Cheviot": bales.sample("CH", 15),
    }
    catalogue(flocks)


if __name__ == "__main__":
    main()
