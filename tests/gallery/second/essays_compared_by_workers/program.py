# SPDX-License-Identifier: Apache-2.0
"""School service: each essay is compared with each other by worker processes."""

import difflib
import itertools
import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor

context = multiprocessing.get_context("fork")
WORDS = ["river", "house", "market", "winter", "letter", "garden", "bridge", "friend", "window"]


def write_essay(number):
    source = random.Random(number)
    return [source.choice(WORDS) + str(source.randrange(30)) for _ in range(6000)]


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def likeness(pair):
    first, second = write_essay(pair[0]), write_essay(pair[1])
    return pair, difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


def main():
    pairs = list(itertools.combinations(range(60), 2))
    with ProcessPoolExecutor(1, mp_context=context, initializer=announce) as workers:
        for pair, ratio in workers.map(likeness, pairs):
            print(pair, round(ratio, 3), flush=True)


if __name__ == "__main__":
    main()
