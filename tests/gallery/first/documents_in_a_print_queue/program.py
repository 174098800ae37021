# SPDX-License-Identifier: Apache-2.0
"""A print queue: the documents lie in a list that the spooler's library links, newest first."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("spool.so"))


class Document(ctypes.Structure):
    _fields_ = [
        ("number", ctypes.c_long),
        ("priority", ctypes.c_double),
        ("next", ctypes.c_void_p),
        ("previous", ctypes.c_void_p),
        ("owner", ctypes.c_char * 32),
    ]


class Queue:
    def __init__(self):
        self.documents = {}
        self.log = []

    def submit(self, number, owner):
        document = Document(number, 1.0, None, None, owner.encode())
        self.documents[number] = document
        library.spool_add(ctypes.byref(document))

    def printed(self, number):
        library.spool_remove(ctypes.byref(self.documents.pop(number)))

    def withdrawn(self, number):
        del self.documents[number]

    def note(self, first, last):
        for number in range(first, last):
            self.log.append((number, f"page {number} of a long batch", "printed"))


def main():
    queue = Queue()
    for number in range(40):
        queue.submit(number, f"clerk {number % 5}")
    queue.printed(12)
    queue.note(0, 30000)
    queue.withdrawn(39)
    queue.note(30000, 60000)
    queue.submit(40, "clerk 1")
    print(len(queue.documents), len(queue.log), flush=True)
    print(sum(number for number, _, what in queue.log if what == "printed"))


main()
