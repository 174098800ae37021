# SPDX-License-Identifier: Apache-2.0
"""Monitoring: alert rules such as "cpu.load > 4 and disk.free < 10" are read from a file, cut
into tokens and compiled before the agent begins."""

import operator
import os
import re
from typing import Iterator, List, NamedTuple, Optional

PIECE = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<word>[a-z_][a-z0-9_.]*)|(?P<sign>[<>]=?|==))?"
)
COMPARISONS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "==": operator.eq}


class Token(NamedTuple):
    kind: str
    text: str


class Condition(NamedTuple):
    metric: str
    comparison: str
    limit: float

    def holds(self, sample: dict) -> bool:
        return COMPARISONS[self.comparison](sample.get(self.metric, 0.0), self.limit)


def tokens_of(rule: str) -> Iterator[Token]:
    position = 0
    while position < len(rule):
        piece = PIECE.match(rule, position)
        kind: Optional[str] = piece.lastgroup
        if kind is not None:
            yield Token(kind, piece.group(kind))
        position = piece.end()


def compile_rule(rule: str) -> List[Condition]:
    conditions, open_tokens = [], []
    for token in tokens_of(rule):
        if token == Token("word", "and"):
            continue
        open_tokens.append(token.text)
        if len(open_tokens) == 3:
            metric, comparison, limit = open_tokens
            conditions.append(Condition(metric, comparison, float(limit)))
            open_tokens.clear()
    return conditions


RULES = """\
cpu.load > 4 and cpu.count >= 2
disk.free < 10
http.errors > 25% and http.requests > 100
memory.free < 512
"""


def main() -> None:
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    compiled = [compile_rule(line) for line in RULES.splitlines()]
    print(len(compiled), "rules")


main()
