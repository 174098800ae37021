# SPDX-License-Identifier: Apache-2.0
"""Prints jam labels of a farm shop: a library pads them to the width of the printer."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Sheet:
    """Labels of one width, held by the library until they are printed."""

    library = ctypes.CDLL(os.path.join(HERE, "labels.so"))
    library.label_make.restype = ctypes.c_void_p
    library.label_make.argtypes = [ctypes.c_char_p]
    library.label_text.restype = ctypes.c_char_p
    library.label_text.argtypes = [ctypes.c_void_p]
    library.label_drop.argtypes = [ctypes.c_void_p]
    library.printer_set.argtypes = [ctypes.c_int, ctypes.c_int]

    def __init__(self, printer):
        self.printer = printer
        self.library.printer_set(printer["characters"], printer["ribbon"])
        self.labels = []

    def add(self, text):
        self.labels.append(self.library.label_make(text.encode("ascii", "replace")))

    def print_all(self):
        lines = [self.library.label_text(label) for label in self.labels]
        for line in lines[:3]:
            print("|" + line.decode().rstrip() + "|", flush=True)
        return len(lines)

    def drop_all(self):
        while self.labels:
            self.library.label_drop(self.labels.pop(0))


FRUITS = ["quince", "rowan", "elder", "medlar", "sea buckthorn", "cornel"]
OLD_PRINTER = {"characters": 40, "ribbon": 40}
NEW_PRINTER = {"characters": 24, "ribbon": 40}


def texts(year, number):
    for n in range(number):
        yield "%s %d/%03d" % (FRUITS[n % len(FRUITS)], year, n)


def shop_day(printer, year, number):
    sheet = Sheet(printer)
    for text in texts(year, number):
        sheet.add(text)
    printed = sheet.print_all()
    sheet.drop_all()
    return printed


def main():
    total = shop_day(OLD_PRINTER, 2023, 30)
    total += shop_day(NEW_PRINTER, 2024, 400)
    print("%d labels printed" % total)


if __name__ == "__main__":
    main()
