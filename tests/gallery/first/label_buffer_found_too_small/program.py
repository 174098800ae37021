# SPDX-License-Identifier: Apache-2.0
"""A label printer's library writes the address into its buffer first and makes the buffer larger
afterwards: a long address reaches over the end, and realloc() finds what it left there."""

import ctypes
import os

printer = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "labels.so"))
printer.label_new.restype = ctypes.c_void_p
printer.label_line.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class Label:
    def __init__(self):
        self.handle = printer.label_new()

    def line(self, text):
        printer.label_line(self.handle, text.encode())


def address_label(lines):
    label = Label()
    for text in lines:
        label.line(text)
    return label


def print_labels(addresses):
    return [address_label(lines) for lines in addresses]


def main():
    long_name = (
        "Fachhochschule fuer angewandte Wissenschaften, Abteilung Verpackung und Versand, Zi. 7"
    )
    print_labels([["A. Jones", "1 High St"], [long_name, long_name, "Am Markt 3", "12345 Ort"]])


main()
