# SPDX-License-Identifier: Apache-2.0
"""An editor closes a document whose list of edits has grown long."""

import ctypes
import os

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "history.so"))
native.open_history.restype = ctypes.c_void_p
native.record.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]
native.history_size.argtypes = native.close_history.argtypes = [ctypes.c_void_p]


class Document:
    def __init__(self):
        self.history = native.open_history()

    def replay(self, macro, times):
        native.record(self.history, macro, times)

    def close(self):
        native.close_history(self.history)


def edit(times):
    document = Document()
    document.replay(b"insert", times)
    return document


def main():
    for times in (10, 1000, 2000000):
        document = edit(times)
        print(native.history_size(document.history))
        document.close()


main()
