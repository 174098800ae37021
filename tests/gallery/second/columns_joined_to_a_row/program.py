# SPDX-License-Identifier: Apache-2.0
"""Answers of a survey, one row for each person, joined by a helper and written to a file."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("row.so"))
library.row_join.restype = ctypes.c_void_p
library.row_release.argtypes = [ctypes.c_void_p]
QUESTIONS = 160


class Survey:
    def __init__(self, path):
        self.file = open(path, "wb")

    def answers(self, person):
        return [
            f"{person}.{n}: {'often' if (person + n) % 3 else 'never'}" for n in range(QUESTIONS)
        ]

    def write(self, person):
        columns = [answer.encode() for answer in self.answers(person)]
        row = library.row_join((ctypes.c_char_p * len(columns))(*columns), len(columns))
        self.file.write(ctypes.string_at(row))
        library.row_release(row)

    def close(self):
        self.file.close()
        return os.path.getsize(self.file.name)


def main():
    survey = Survey("answers.csv")
    for person in range(1, 400):
        survey.write(person)
    print(survey.close())


main()
