# SPDX-License-Identifier: Apache-2.0
"""A tide pole reports its level through a small library, which calls back."""

from pathlib import Path

import cffi

ffi = cffi.FFI()
ffi.cdef("""
    typedef void (*level_callback)(int pole, double metres);
    void on_level(int pole, level_callback callback);
    void read_poles(double hour);
""")


class TidePole:
    def __init__(self, library, number):
        self.number = number
        self.levels = []
        library.on_level(number, ffi.callback("level_callback", self.note_level))

    def note_level(self, pole, metres):
        self.levels.append(metres)


class Logbook:
    """Lines of the logbook, each with a check that the printer calls."""

    def __init__(self):
        self.checks = []

    def write(self, hour, poles):
        total = sum(len(pole.levels) for pole in poles)
        self.checks.append(f"{hour:02}: {total} levels")


def main():
    library = ffi.dlopen(str(Path(__file__).with_name("poles.so")))
    poles = [TidePole(library, number) for number in range(3)]
    logbook = Logbook()
    for hour in range(24):
        library.read_poles(float(hour))
        logbook.write(hour, poles)
    print("\n".join(logbook.checks))


if __name__ == "__main__":
    main()
