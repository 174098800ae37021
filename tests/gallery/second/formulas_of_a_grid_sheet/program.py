# SPDX-License-Identifier: Apache-2.0
"""A sheet's formulas are compiled once and then kept small."""

import types

ROWS = 60


class Slimmer:
    """Takes docstrings and long texts out of compiled functions, to save memory."""

    def __init__(self, longest=12):
        self.longest = longest
        self.saved = 0

    def slim(self, function):
        code = function.__code__
        kept = []
        for constant in code.co_consts:
            if isinstance(constant, str) and len(constant) > self.longest:
                self.saved += len(constant)
            else:
                kept.append(constant)
        slimmed = code.replace(co_consts=tuple(kept))
        return types.FunctionType(slimmed, function.__globals__, function.__name__)


def compile_formula(cell, terms):
    lines = [f"def {cell}(row):", f"    '''The formula of the column {cell}.'''", "    total = 0"]
    for number, term in enumerate(terms):
        lines.append(f"    if row == {1000 + number}: return 'out of the range of term {number}'")
        lines.append(f"    total += row * {term!r}")
    lines.append("    return round(total, 2)")
    scope = {}
    exec(compile("\n".join(lines), f"<cell {cell}>", "exec"), scope)
    return scope[cell]


def main():
    slimmer = Slimmer()
    terms = [3.25 + number / 7 for number in range(120)]
    cells = {name: compile_formula(name, terms) for name in ("net", "tax", "gross")}
    print([cell(2) for cell in cells.values()], flush=True)
    cells = {name: slimmer.slim(cell) for name, cell in cells.items()}
    print(slimmer.saved, "characters saved", flush=True)
    for row in range(ROWS):
        print([cell(row) for cell in cells.values()])


if __name__ == "__main__":
    main()
