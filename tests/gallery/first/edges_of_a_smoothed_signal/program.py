# SPDX-License-Identifier: Apache-2.0
"""Short signals are smoothed in place by a C filter."""

import array
import ctypes
import os


def signals(count):
    made = []
    for number in range(count):
        made.append((array.array("d", [number / 8] * 6), (number,), (number + 0.5,)))
    return made


def smooth(library, signal):
    start, length = signal.buffer_info()
    library.smooth(ctypes.c_void_p(start), ctypes.c_long(length))


def peak(some):
    return max(max(signal) + numbers[0] + times[0] for signal, numbers, times in some)


def main():
    library = ctypes.CDLL(os.path.abspath("smooth.so"))
    some = signals(60)
    print(peak(some))
    for signal, _numbers, _times in some[20:30]:
        smooth(library, signal)
    print(peak(some))
    some.clear()


main()
