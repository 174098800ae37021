# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in huge functions: 100,000 lines, more names and constants than a byte or a word counts."""

import deathbed

LINES = 100_000


def write(name, text):
    with open(name, "w") as handle:
        handle.write(text)
    space = {"deathbed": deathbed}
    exec(compile(text, name, "exec"), space)
    return space["step"]


def long_function():
    """One statement in ten lines: the line table has entries all the way."""
    lines = ["def step(follow):", "    x = 0"]
    while len(lines) < LINES:
        lines.append("    x += 1")
        lines += [""] * 9
    lines.append("    follow()")
    lines += ["    x += 1"] * 50
    return "\n".join(lines) + "\n"


def wide_jump():
    """A loop whose jumps need EXTENDED_ARG twice, left and entered again."""
    body = "\n".join(f"        a = [a, {number}, {number}.5][0]" for number in range(4000))
    return (
        f"def step(follow):\n    a = 1\n    for turn in range(2):\n        if turn:\n"
        f"            follow()\n{body}\n        if a:\n            continue\n        a = 2\n"
    )


def many_names():
    """More than 256 locals, cells, names and constants; the call is among them."""
    locals_ = "\n".join(f"    local_{n} = 'text {n}'" for n in range(400))
    names = "\n".join(f"    deathbed.name_{n} = {n + 1000}" for n in range(400))
    cells = ", ".join(f"local_{n}" for n in range(399))
    return (
        f"def step(follow):\n{locals_}\n{names}\n    def inner():\n"
        f"        return ({cells},\n            follow(), local_399)\n    return inner()\n"
    )


def deep_expression():
    """Brackets as deep as the oldest parser takes, the call at the bottom, a line each."""
    return "def step(follow):\n    return " + "[\n" * 40 + "follow()" + "\n]" * 40 + "\n"


def go(steps, way):
    if not steps:
        deathbed.die(way)
    steps[0](lambda: go(steps[1:], way))


if __name__ == "__main__":
    pieces = [long_function, wide_jump, many_names, deep_expression]
    go([write(one.__name__ + "_.py", one()) for one in pieces], deathbed.prepare("raise"))
