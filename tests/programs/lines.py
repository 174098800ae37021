# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below frames whose line numbers are hard to tell: long calls, jumps back, huge functions.

Each step is a piece of source of its own that calls the next step; the last one dies. The pieces
are written to files, so that a source line can be shown for each.
"""

import os
import sys

import deathbed

MULTI_LINE_CALL = """
def step(follow, value=1):
    return dict(
        first=value,
        second=[
            value,
            follow(

            ),
        ],
        third=value,
    )
"""

ARGUMENT_BEFORE = """
def step(follow):
    return (
        "{} {}"
        .format(
            1,
            2,
        ).replace(
            "1",
            follow(),
        )
    )
"""

BACKWARD_LOOP = """
def step(follow):
    count = 0
    while (count < 3
           or follow()):
        count += 1
        if count == 2:
            continue
        count += 0
"""

FOR_HEADER = """
def step(follow):
    class Items:
        def __iter__(self):
            return self
        def __next__(self):
            follow()
    for item in (
        Items()
    ):
        print(item)
"""

WITH_EXIT = """
def step(follow):
    class Manager:
        def __enter__(self):
            return self
        def __exit__(self, *error):
            follow()
    with Manager() as one, \\
            Manager() as two:
        value = (one, two)
        del value
    return 1
"""

TRY_FINALLY = """
def step(follow):
    for number in range(3):
        try:
            try:
                if number == 1:
                    raise KeyError(number)
            except KeyError:
                number = 7
            else:
                continue
            finally:
                number += 0
                if number == 7:
                    follow()
        finally:
            number = None
"""

MATCH = """
def step(follow):
    match {"kind": [1, (2, 3)], "rest": None}:
        case {"kind": [int(), str()]}:
            pass
        case {"kind": [1, (2, x)], **rest} if (
            x == 3
            and follow()
        ):
            pass
        case _:
            pass
"""

OPERATORS = """
def step(follow):
    class Number:
        def __add__(self, other):
            return follow()
    return (
        Number()
        +
        2
    ) if True else (
        3
    )
"""

DECORATOR = """
def step(follow):
    def decorate(function):
        return follow()

    @decorate
    @(lambda function:
        function)
    def decorated(
        one,
        two,
    ):
        pass
"""

SEMICOLONS = """
def step(follow): a = 1; b = (2); c = [a, b]; follow(); return c
"""

# A call whose arguments fill more than 256 bytes of code in one line.
WIDE = "\ndef step(follow):\n    return [" + "1 + int(), " * 300 + "follow(), 3]\n"

# Gaps of more than 127 and of more than 255 lines, forwards and, by a loop, backwards.
GAPS = (
    "\ndef step(follow):\n    for turn in (0, 1):\n        if turn: follow(turn)\n"
    + "\n" * 140
    + "        turn += 1\n"
    + "\n" * 300
    + "        turn += 1\n"
)
GAP_AHEAD = "\ndef step(follow):\n    x = 1\n" + "\n" * 1000 + "    follow(x)\n" + "\n" * 200

LONG_BODY = (
    "\ndef step(follow):\n    x = 0\n"
    + "".join(f"    x = x + {number} if x >= 0 else -{number}\n" for number in range(700))
    + "    follow()\n"
    + "    x += 1\n" * 100
)

# The code object starts long after line 65,536.
FAR_DOWN = "\n" * 70000 + "def step(follow):\n\n\n    return follow()\n"

PIECES = {name: text for name, text in sorted(globals().items()) if name.isupper()}
if sys.version_info < (3, 10):
    del PIECES["MATCH"]
if sys.version_info < (3, 9):
    del PIECES["DECORATOR"]  # any expression as a decorator


def build(folder):
    """Write each piece to a file; return its functions by name."""
    os.makedirs(folder, exist_ok=True)
    steps = {}
    for name, text in PIECES.items():
        path = os.path.join(folder, name.lower() + ".py")
        with open(path, "w") as handle:
            handle.write(text)
        space = {}
        exec(compile(text, path, "exec"), space)
        steps[name] = space["step"]
    return steps


def follow(steps, way):
    """Call the first of the steps, which calls the rest."""
    if not steps:
        deathbed.die(way)
    steps[0](lambda *ignored: follow(steps[1:], way))


if __name__ == "__main__":
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pieces")
    follow(list(build(folder).values()), deathbed.prepare("raise"))
