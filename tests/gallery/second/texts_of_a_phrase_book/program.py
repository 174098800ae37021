# SPDX-License-Identifier: Apache-2.0
"""Reads a phrase book through the C interface of SQLite, for its incremental blobs."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p

sqlite = ctypes.CDLL("libsqlite3.so.0")
sqlite.sqlite3_open.argtypes = [c_char_p, POINTER(c_void_p)]
sqlite.sqlite3_exec.argtypes = [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]
sqlite.sqlite3_prepare_v2.argtypes = [c_void_p, c_char_p, c_int, POINTER(c_void_p), c_void_p]
sqlite.sqlite3_step.argtypes = [c_void_p]
sqlite.sqlite3_column_text.argtypes = [c_void_p, c_int]
sqlite.sqlite3_column_text.restype = c_void_p
sqlite.sqlite3_finalize.argtypes = [c_void_p]
libc = ctypes.CDLL(None)
libc.strlen.argtypes = [c_void_p]
libc.strlen.restype = ctypes.c_size_t

ROW = 100


class Text:
    """A text of the database, measured when it is asked for."""

    def __init__(self, address):
        self.address = address

    def __len__(self):
        return libc.strlen(self.address)


class Book:
    def __init__(self):
        self.db = c_void_p()
        sqlite.sqlite3_open(b":memory:", byref(self.db))

    def run(self, statement):
        if sqlite.sqlite3_exec(self.db, statement, None, None, None) != 0:
            raise RuntimeError(statement)

    def texts(self, query):
        statement = c_void_p()
        sqlite.sqlite3_prepare_v2(self.db, query, -1, byref(statement), None)
        found = []
        while sqlite.sqlite3_step(statement) == ROW:
            found.append(Text(sqlite.sqlite3_column_text(statement, 0)))
        sqlite.sqlite3_finalize(statement)
        return found


def main():
    book = Book()
    book.run(b"create table phrase (lang text, body text)")
    book.run(b"insert into phrase values ('de', hex(zeroblob(400000)))")
    book.run(b"insert into phrase values ('fr', hex(zeroblob(600000)))")
    for text in book.texts(b"select body from phrase order by length(body)"):
        print(len(text))


main()
