# SPDX-License-Identifier: Apache-2.0
"""Shows invoices in a ledger's audit log; the texts are cut by the C library's limits."""

import ctypes

runtime = ctypes.CDLL(None)
runtime.PyObject_Repr.argtypes = [ctypes.py_object]
runtime.PyObject_Repr.restype = ctypes.py_object


class Invoice:
    def __init__(self, number, lines):
        self.number = number
        self.lines = lines

    def __repr__(self):
        return f"<Invoice {self.number} of {sum(self.lines)}>"


def shown(invoice):
    return runtime.PyObject_Repr(invoice)[:60]


def main():
    for number in range(20):
        print(shown(Invoice(number, [number * 3, number * 5])), flush=True)


main()
