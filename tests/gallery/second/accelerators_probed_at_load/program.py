# SPDX-License-Identifier: Apache-2.0
"""Recommender worker: loads its compiled kernels and ranks articles for a reader."""

import ctypes
import os

ARTICLES = {"tents": [0.1, 0.9, 0.3], "boots": [0.4, 0.7, 0.2], "lamps": [0.8, 0.1, 0.1]}


def load_kernels(path):
    kernels = ctypes.CDLL(path)
    kernels.accel_dot.restype = ctypes.c_float
    return kernels


class Ranking:
    """Scores articles by the taste of a reader."""

    def __init__(self, kernels):
        self.kernels = kernels

    def score(self, taste, features):
        vector = ctypes.c_float * len(taste)
        return self.kernels.accel_dot(vector(*taste), vector(*features), len(taste))

    def order(self, taste, articles):
        return sorted(articles, key=lambda name: -self.score(taste, articles[name]))


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    ranking = Ranking(load_kernels(os.path.abspath("accel.so")))
    print(ranking.kernels.accel_driver(), ranking.order([0.2, 0.6, 0.1], ARTICLES))


main()
