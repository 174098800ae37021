# SPDX-License-Identifier: Apache-2.0
"""A print office takes its jobs from a deque, the oldest first."""

import json
import os
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

LEFT_BLOCK = 24
BIT = 3


@dataclass
class Job:
    customer: str
    sheets: int


class PrintOffice:
    def __init__(self):
        self.jobs = deque()

    def take(self, customer, sheets):
        self.jobs.append(Job(customer, sheets))

    def print_all(self):
        sheets = 0
        while self.jobs:
            job = self.jobs.popleft()
            sheets += job.sheets
        return sheets


def main():
    office = PrintOffice()
    for number in range(150):
        office.take(f"customer {number}", 20 + number % 7)
    told = {"pid": os.getpid(), "memory": [[id(office.jobs) + LEFT_BLOCK + 5, BIT]]}
    Path("ready").write_text(json.dumps(told) + "\n")
    sys.stdin.readline()
    print(office.print_all())


if __name__ == "__main__":
    main()
