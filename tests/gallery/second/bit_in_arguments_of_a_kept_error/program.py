# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of an import, keeps the errors and tells them when all rows are read."""

import json
import os


def amount(text):
    value = float(text.replace(",", "."))
    if value < 0:
        raise ValueError("negative amount", text)
    return value


class Import:
    def __init__(self):
        self.amounts = []
        self.errors = []

    def read(self, rows):
        for number, row in enumerate(rows):
            try:
                self.amounts.append(amount(row))
            except ValueError as error:
                self.errors.append((number, error))

    def told(self):
        return [f"row {number}: {error}" for number, error in self.errors]


def main():
    job = Import()
    job.read([f"{n % 90},{n % 7}" if n % 11 else f"-{n},5" for n in range(1, 1200)])
    error = job.errors[61][1]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(error) + 24, 43]]}) + "\n")
    input()
    job.read([f"{n},25" for n in range(1000)])
    print(len(job.amounts), len(job.errors), flush=True)
    print("\n".join(job.told()))


main()
