# SPDX-License-Identifier: Apache-2.0
"""Read the meters of a mixing desk whose engine is written in C++."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def load():
    engine = ctypes.CDLL(os.path.join(HERE, "desk.so"))
    engine.desk_new.restype = ctypes.c_void_p
    engine.desk_add_fader.argtypes = [ctypes.c_void_p, ctypes.c_double]
    engine.desk_add_group.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    engine.desk_meter.argtypes = [ctypes.c_void_p, ctypes.c_int]
    engine.desk_meter.restype = ctypes.c_double
    return engine


class Desk:
    def __init__(self, engine, gains, groups):
        self.engine = engine
        self.handle = engine.desk_new()
        self.size = len(gains) + len(groups)
        for gain in gains:
            engine.desk_add_fader(self.handle, gain)
        for first, last in groups:
            engine.desk_add_group(self.handle, first, last)

    def meters(self):
        return [self.engine.desk_meter(self.handle, number) for number in range(self.size)]


def evening(engine):
    print(Desk(engine, [-3.5] * 8, [(0, 4), (4, 8)]).meters())
    print(Desk(engine, [-6.0] * 12, [(0, 6), (6, 12)]).meters())


evening(load())
