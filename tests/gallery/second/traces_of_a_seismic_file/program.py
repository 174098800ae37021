# SPDX-License-Identifier: Apache-2.0
"""Reads traces of a seismic survey that a C library keeps in memory."""

import os

from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef struct { long id; size_t length; double *samples; } trace_t;
trace_t *trace_load(long id, int seconds);
void trace_close(trace_t *trace);
""")
lib = ffi.dlopen(os.path.join(os.path.dirname(os.path.abspath(__file__)), "seismic.so"))


def samples_of(trace):
    size = trace.length * ffi.sizeof("double")
    copied = bytearray(size)
    ffi.memmove(copied, trace.samples, size)
    return memoryview(copied).cast("d")


def main():
    strongest = {}
    for number in range(3):
        trace = lib.trace_load(number, 600)
        strongest[number] = max(samples_of(trace)[:1000])
        lib.trace_close(trace)
    print(strongest)


main()
