# SPDX-License-Identifier: Apache-2.0
"""An asynchronous read writes into a bytes buffer that Python freed while the transfer was under
way; other objects live there now.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("transfer.so"))
library.submit.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Slot:
    __slots__ = tuple("abcdefghijklmnopqrstuvwxyz"[:12])

    def __init__(self, number):
        for name in self.__slots__:
            setattr(self, name, str(number) + name)


def start():
    for _ in range(8):
        buffer = ctypes.create_string_buffer(128)
        library.submit(ctypes.addressof(buffer), 128)


def total(table):
    return sum(len(slot.a) + len(slot.l) for slot in table)


def main():
    start()
    table = [Slot(n) for n in range(2000)]
    library.complete()
    print(total(table))


main()
