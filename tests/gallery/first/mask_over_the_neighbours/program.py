# SPDX-License-Identifier: Apache-2.0
"""A frame is unmasked in place with a length taken from the wrong field: the XOR runs over the
objects behind it.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("mask.so"))
library.unmask.argtypes = [ctypes.c_void_p, ctypes.c_long]


class Client:
    __slots__ = (
        "name",
        "address",
        "state",
        "since",
        "topics",
        "queue",
        "last",
        "host",
        "port",
        "id",
    )

    def __init__(self, number):
        for name in self.__slots__:
            setattr(self, name, [number])


def words(clients):
    return sum(client.name[0] + client.id[0] for client in clients)


def main():
    clients = [Client(n) for n in range(1500)]
    frame = bytearray(b"\x55" * 100)
    later = [Client(n) for n in range(1500)]
    start = ctypes.addressof((ctypes.c_char * 100).from_buffer(frame))
    library.unmask(start, 4000)
    print(words(clients), words(later))


main()
