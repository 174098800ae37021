# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Categoricals of pandas."""

import pandas
from library_values import dying, way


def categoricals(death):
    letters = pandas.Categorical(["a", "b", "a", "c"])
    ordered = pandas.Categorical(
        ["low", "high", "low"], categories=["low", "mid", "high"], ordered=True
    )
    numbers = pandas.Categorical([3, 1, 2, 3])
    holes = pandas.Categorical(["x", None, "y"])
    many = pandas.Categorical([str(number % 7) for number in range(100)])
    ordered_numbers = pandas.Categorical([10, 20, 10], ordered=True)
    one = pandas.Categorical(["only"])
    from_codes = pandas.Categorical.from_codes([0, 1, -1], ["p", "q"])
    truths = pandas.Categorical([True, False, True])
    dying(death)


if __name__ == "__main__":
    categoricals(way())
