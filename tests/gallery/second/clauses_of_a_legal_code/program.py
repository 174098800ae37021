# SPDX-License-Identifier: Apache-2.0
"""Copies a legal code whose clauses refer to each other, to amend the copy."""

import copy
import sys
from dataclasses import dataclass, field
from typing import List, Optional


@dataclass(eq=False)
class Clause:
    number: int
    text: str
    follows: Optional["Clause"] = None
    notes: List[str] = field(default_factory=list)


def compile_code(count):
    clause = None
    for number in range(count, 0, -1):
        clause = Clause(number, "Clause %d shall apply." % number, clause)
    return clause


def amend(code, word, by):
    draft = copy.deepcopy(code)
    clause = draft
    while clause is not None:
        clause.text = clause.text.replace(word, by)
        clause = clause.follows
    return draft


def main():
    sys.setrecursionlimit(2_000_000)
    code = compile_code(60_000)
    print(amend(code, "shall", "will").text)


if __name__ == "__main__":
    main()
