# SPDX-License-Identifier: Apache-2.0
"""Parcels are weighed with a small C library, used through cffi."""

import os

from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef struct parcel parcel;
    parcel *parcel_open(const char *label);
    void parcel_add(parcel *one, double grams);
    double parcel_weight(const parcel *one);
    void parcel_close(parcel *one);
    """
)
library = ffi.dlopen(os.path.abspath("parcel.so"))


class Parcel:
    def __init__(self, label):
        self.native = ffi.gc(library.parcel_open(label.encode()), library.parcel_close)

    def add(self, grams):
        library.parcel_add(self.native, grams)

    def close(self):
        weight = library.parcel_weight(self.native)
        library.parcel_close(self.native)
        self.native = None
        return weight


def weigh(orders):
    weights = {}
    for label, items in orders.items():
        parcel = Parcel(label)
        for grams in items:
            parcel.add(grams)
        weights[label] = parcel.close()
    return weights


print(weigh({"A-17": [120.0, 80.5], "A-18": [990.0], "B-02": [14.0, 15.0, 16.0]}))
