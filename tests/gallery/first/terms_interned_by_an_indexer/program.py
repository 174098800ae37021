# SPDX-License-Identifier: Apache-2.0
"""The indexer of a document search interns its terms in a native table."""

import ctypes
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
table = ctypes.CDLL(os.path.join(HERE, "terms.so"))
table.intern_term.argtypes = [ctypes.c_char_p]
table.intern_term.restype = ctypes.c_int


def words_of(document):
    return [f"{document}{ending}" for ending in ("s", "ed", "ing", "er", "ers", "ment")]


def index(documents):
    postings = {}
    for number, document in enumerate(documents):
        for word in words_of(document):
            postings.setdefault(table.intern_term(word.encode()), []).append(number)
    return postings


def main():
    documents = [f"report{n}" for n in range(60)]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(len(index(documents)))


main()
