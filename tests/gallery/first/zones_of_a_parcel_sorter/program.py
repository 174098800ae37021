# SPDX-License-Identifier: Apache-2.0
"""Prints the labels of a parcel sorter."""

import collections
import ctypes
import os

Parcel = collections.namedtuple("Parcel", "number depot street")
STREETS = ["Mill Lane", "Dock Road", "Station Road", "Upper Richmond Road West", "High Street"]


class LabelPrinter:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.new_label.restype = ctypes.c_void_p
        self.library.address_label.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
        self.library.print_label.argtypes = [ctypes.c_void_p]

    def queue(self, parcel):
        label = self.library.new_label(ctypes.c_long(parcel.number))
        self.library.address_label(label, parcel.depot.encode(), parcel.street.encode())
        return label

    def flush(self, labels):
        for label in labels:
            self.library.print_label(label)


def main():
    printer = LabelPrinter(os.path.join(os.path.dirname(os.path.abspath(__file__)), "labels.so"))
    parcels = [Parcel(7000 + n, "SW%d" % (n % 20), STREETS[n % 5]) for n in range(60)]
    printer.flush([printer.queue(parcel) for parcel in parcels])
    print("printed", len(parcels))


if __name__ == "__main__":
    main()
