# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in code whose file and function names hold what breaks terminals and parsers."""

import deathbed

NAMES = [
    "<string>",
    "",
    "with\nnewline.py",
    "esc\x1b[31mred\x1b[0m.py",
    "bidi\u202egnp.py",
    "lone\udc80surrogate.py",
    'quote"and\\back.py',
    "tab\tand\x7fdel\x9b.py",
    "long" * 300 + ".py",
]


def call(position, way):
    """Run a code object named after the next odd name; the last one dies."""
    if position == len(NAMES):
        deathbed.die(way)
    name = NAMES[position]
    code = compile("\n\ncall(position + 1, way)\n", name, "exec")
    # Names of functions come from identifiers, but a code object takes any string, NUL as well.
    odd = {"co_name": "odd\x00" + name} if position % 2 else {}
    exec(code.replace(**odd), {"call": call, "position": position, "way": way})


if __name__ == "__main__":
    call(0, deathbed.prepare("raise"))
