# SPDX-License-Identifier: Apache-2.0
import contextlib
import ctypes
import math
import pathlib

camera = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("exposure.so")))
camera.exposure_begin.restype = ctypes.c_void_p
camera.exposure_begin.argtypes = [ctypes.c_int, ctypes.c_double]
camera.exposure_add.argtypes = [ctypes.c_void_p, ctypes.c_double]
camera.exposure_finish.argtypes = camera.exposure_discard.argtypes = [ctypes.c_void_p]


class Clouds(Exception):
    pass


@contextlib.contextmanager
def exposure(number, dark=3.5):
    handle = camera.exposure_begin(number, dark)
    try:
        yield lambda counts: camera.exposure_add(handle, counts)
        camera.exposure_finish(handle)
    finally:
        camera.exposure_discard(handle)


def expose(number, sky):
    with exposure(number) as add:
        for second in range(30):
            counts = 400 + 30 * math.sin(second / 5)
            if second >= sky:
                raise Clouds(number)
            add(counts)


def hunt(fields):
    for number, sky in enumerate(fields):
        try:
            expose(number, sky)
        except Clouds as lost:
            print("clouds over field", lost)


hunt([60, 45, 0, 33, 12, 60])
