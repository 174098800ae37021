# SPDX-License-Identifier: Apache-2.0
"""A weather museum follows the traces of its barographs; every one that was shown once stays open."""  # noqa: E501

import ctypes
import os
import pathlib
import random
import resource

TRACES = pathlib.Path("traces")


def write_traces(number):
    """The clocks of the barographs have written these."""
    TRACES.mkdir(exist_ok=True)
    chance = random.Random(5)
    for station in range(number):
        lines = [f"station {station}"]
        lines += [f"{chance.gauss(1013, 8):.1f}" for _ in range(20)]
        (TRACES / f"{station:04}.trace").write_text("\n".join(lines) + "\n")


class Barographs:
    """The C library behind the museum's table."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("barograph.so"))
        self.library.open_trace.restype = ctypes.c_void_p
        self.library.open_trace.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
        self.library.follow_trace.restype = ctypes.c_long
        self.library.follow_trace.argtypes = [ctypes.c_void_p]
        self.library.mean_of_trace.restype = ctypes.c_double
        self.library.mean_of_trace.argtypes = [ctypes.c_void_p]
        self.library.close_trace.argtypes = [ctypes.c_void_p]
        self.shown = {}

    def show(self, path):
        station = ctypes.c_int()
        trace = self.library.open_trace(os.fsencode(path), ctypes.byref(station))
        self.library.follow_trace(trace)
        self.shown[station.value] = trace
        return station.value, self.library.mean_of_trace(trace)

    def close(self):
        for trace in self.shown.values():
            self.library.close_trace(trace)
        self.shown.clear()


def table(barographs, paths):
    means = dict(barographs.show(path) for path in paths)
    low = min(means, key=means.get)
    return low, means[low]


def main():
    # As the museum's service file has it: LimitNOFILE=96.
    resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
    write_traces(140)
    barographs = Barographs()
    every = sorted(TRACES.iterdir())
    for first in range(0, len(every), 20):
        print(
            "lowest of",
            first,
            "to",
            first + 19,
            table(barographs, every[first : first + 20]),
            flush=True,
        )
    barographs.close()


if __name__ == "__main__":
    main()
