# SPDX-License-Identifier: Apache-2.0
"""Samples are written to a sink."""

import array


class Sink:
    def __init__(self):
        self.n = 0

    def write(self, block):
        self.n += len(block)
        del samples[:]


samples = array.array("d", [0.5] * 200_000)


def export(sink):
    samples.tofile(sink)
    return sink.n


print(export(Sink()))
