# SPDX-License-Identifier: Apache-2.0
import collections.abc


def plain(value):
    if isinstance(value, collections.abc.Iterator):
        return list(value)
    return value


class Checkpoint:
    """The variables of a generator, to begin with in another one of the same code."""

    def __init__(self, generator):
        frame = generator.gi_frame
        self.code = frame.f_code
        self.values = {name: plain(value) for name, value in frame.f_locals.items()}
        generator.close()

    def resume(self, generator):
        if generator.gi_code is not self.code:
            raise ValueError("checkpoint of another generator")
        generator.gi_frame.f_locals.update(self.values)
        return generator
