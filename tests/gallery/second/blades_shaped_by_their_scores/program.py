# SPDX-License-Identifier: Apache-2.0
"""Improves the shape of a turbine blade: each one follows from the score of the last."""

import multiprocessing
import os
import queue
import threading


def rate(shape):
    """Return how well a blade of this shape does."""
    return -sum((part - 3) ** 2 for part in shape)


def candidates(first, scores):
    shape, best = list(first), None
    yield tuple(shape)
    for step in range(200):
        score = scores.get()
        if best is None or score > best:
            best = score
            shape[step % len(shape)] += 1
        else:
            shape[step % len(shape)] -= 1
        yield tuple(shape)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def improve(first):
    scores = queue.Queue()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        threading.Timer(1.0, tell).start()
        for score in pool.imap(rate, candidates(first, scores), chunksize=4):
            scores.put(score)
    return score


if __name__ == "__main__":
    print(improve((0, 1, 2)))
