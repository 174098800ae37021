# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "oldest": [3, 14]}
"""Template strings (3.14, PEP 750)."""

from string import templatelib

from library_values import dying, way


def parsed(text):
    # Older interpreters, and tools, cannot read the syntax.
    return eval(f't"{text}"', {"name": "wörld", "price": 19.5})


def templates(death):
    plain, empty = parsed("hello"), parsed("")
    simple, two = parsed("hello {name}"), parsed("{name} costs {price:.2f}")
    converted, nested = parsed("{name!r:>{10}}"), [parsed("{price}")]
    interpolation = parsed("{name!s}").interpolations[0]
    made = templatelib.Template("a", templatelib.Interpolation(5, "x", None, ""), "b")
    expression = parsed("{name.upper() + 'x'}")
    dying(death)


if __name__ == "__main__":
    templates(way())
