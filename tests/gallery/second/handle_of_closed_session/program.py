# SPDX-License-Identifier: Apache-2.0
"""A session handle is used after close: the C struct was unmapped."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("dbapi.so"))
library.connect.restype = ctypes.c_void_p
for function in (library.query, library.disconnect):
    function.argtypes = [ctypes.c_void_p]


class Session:
    def __init__(self):
        self.handle = library.connect()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        library.disconnect(self.handle)

    def query(self):
        return library.query(self.handle)


def run_report():
    with Session() as session:
        first = session.query()
    return first + session.query()


print(run_report())
