# SPDX-License-Identifier: Apache-2.0
"""Prints parcel labels through the function table of a vendor's driver (interface 2)."""

import ctypes as ct
from pathlib import Path


class Printer(ct.Structure):
    pass


OPEN = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Printer), ct.c_char_p)
FEED = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Printer), ct.c_int)
PRINT = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Printer), ct.c_char_p)
CLOSE = ct.CFUNCTYPE(None, ct.POINTER(Printer))
BARCODE = ct.CFUNCTYPE(ct.c_int, ct.POINTER(Printer), ct.c_char_p, ct.c_int)


class Table(ct.Structure):
    _fields_ = [
        ("version", ct.c_uint),
        ("flags", ct.c_uint),
        ("open", OPEN),
        ("feed", FEED),
        ("print", PRINT),
        ("close", CLOSE),
        ("barcode", BARCODE),
    ]


Printer._fields_ = [("table", ct.POINTER(Table)), ("port", ct.c_char * 32), ("lines", ct.c_int)]

library = ct.CDLL(str(Path(__file__).parent.resolve() / "driver.so"))
library.driver_create.restype = ct.POINTER(Printer)


class LabelPrinter:
    def __init__(self, port):
        self.handle = library.driver_create()
        self.table = self.handle.contents.table.contents
        if self.table.open(self.handle, port.encode()) != 0:
            raise OSError("cannot open " + port)

    def label(self, address, parcel):
        for line in address:
            self.table.print(self.handle, line.encode())
        if parcel.startswith("X"):
            self.table.barcode(self.handle, parcel.encode(), 128)
        self.table.feed(self.handle, 4)

    def close(self):
        self.table.close(self.handle)


def main():
    printer = LabelPrinter("/dev/usb/lp0")
    for number in range(60):
        code = "%s%08d" % ("X" if number > 40 else "P", number)
        printer.label(["Customer %d" % number, "Long Street %d" % number, "8004 Zurich"], code)
    printer.close()


main()
