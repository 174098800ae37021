# SPDX-License-Identifier: Apache-2.0
"""A homework server works out the formulas that pupils hand in."""

import ast
import operator
import os
from pathlib import Path

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
HANDED_IN = {"ida": "3 + 4 * 5", "noor": "2 ** 10 - 1", "per": "9 ** 9 ** 9", "eva": "12 - 5"}


def evaluate(node):
    if isinstance(node, ast.Expression):
        return evaluate(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp):
        apply = OPERATORS[type(node.op)]
        return apply(evaluate(node.left), evaluate(node.right))
    raise ValueError(ast.dump(node))


def mark(pupil, formula):
    return pupil, evaluate(ast.parse(formula, mode="eval")).bit_length()


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for pupil, formula in HANDED_IN.items():
        print(*mark(pupil, formula))


if __name__ == "__main__":
    main()
