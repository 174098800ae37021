# SPDX-License-Identifier: Apache-2.0
"""Readings of a flow gauge, read through cffi by the declarations of its manual."""

from pathlib import Path

import cffi

ffi = cffi.FFI()
ffi.cdef("""
    struct reading {
        int32_t gauge;
        uint32_t flags;
        const char *unit;
        double value;
    };
    int next_reading(struct reading *reading);
""")


class FlowGauge:
    def __init__(self):
        self.library = ffi.dlopen(str(Path(__file__).with_name("gauge.so")))

    def readings(self):
        buffer = ffi.new("struct reading[2]")
        while self.library.next_reading(buffer):
            yield self.describe(buffer[0])

    def describe(self, reading):
        unit = ffi.string(reading.unit).decode()
        return f"gauge {reading.gauge}: {reading.value:.2f} {unit}"


def main():
    for line in FlowGauge().readings():
        print(line)


if __name__ == "__main__":
    main()
