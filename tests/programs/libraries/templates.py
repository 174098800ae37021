# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "oldest": [3, 14]}
"""Template strings (3.14, PEP 750)."""

from string import templatelib

from library_values import dying, way


def templates(death):
    name, price = "wörld", 19.5
    plain, empty = t"hello", t""
    simple, two = t"hello {name}", t"{name} costs {price:.2f}"
    converted, nested = t"{name!r:>{10}}", [t"{price}"]
    interpolation = t"{name!s}".interpolations[0]
    made = templatelib.Template("a", templatelib.Interpolation(5, "x", None, ""), "b")
    expression = t"{name.upper() + 'x'}"
    dying(death)


if __name__ == "__main__":
    templates(way())
