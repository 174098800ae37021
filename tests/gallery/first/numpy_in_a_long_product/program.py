# SPDX-License-Identifier: Apache-2.0
"""A matrix product of numpy is under way in native threads; a watchdog thought the process
stuck.
"""

import os

import numpy


def multiply(matrix):
    for _ in range(1000):
        matrix = matrix @ matrix
        matrix /= abs(matrix).max()
    return matrix


matrix = numpy.random.default_rng(1).random((1200, 1200))
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
print(multiply(matrix))
