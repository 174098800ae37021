# SPDX-License-Identifier: Apache-2.0
"""A tide gauge tells its listeners each new level; the gauge is a small library."""

import ctypes
import os

LIBRARY = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gauge.so"))
ON_LEVEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double)


class Harbour(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("warned", ctypes.c_int), ("highest", ctypes.c_double)]


class Listener(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("on_level", ON_LEVEL)]


@ON_LEVEL
def note_level(context, level):
    harbour = ctypes.cast(context, ctypes.POINTER(Harbour)).contents
    harbour.highest = max(harbour.highest, level)
    harbour.warned += level > 3.5


def listen(harbour):
    listener = Listener(ctypes.addressof(harbour), note_level)
    LIBRARY.gauge_listen(ctypes.byref(listener))
    return listener


def main():
    harbours = [Harbour(number, 0, 0.0) for number in (4, 9)]
    listeners = [listen(harbour) for harbour in harbours]
    LIBRARY.gauge_publish.argtypes = [ctypes.c_double]
    for hour in range(6):
        LIBRARY.gauge_publish(2.0 + 0.4 * hour)
    print(len(listeners), [harbour.highest for harbour in harbours])


main()
