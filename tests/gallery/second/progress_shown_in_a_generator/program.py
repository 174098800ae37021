# SPDX-License-Identifier: Apache-2.0
"""A notebook helper that tells how much of a paused generator is to come."""


def remaining(generator):
    """Return how many items a paused generator expression has before it, and keep it usable."""
    variables = generator.gi_frame.f_locals
    variables[".0"] = rest = list(variables[".0"])
    return len(rest)


def main():
    readings = [3, 1, 4, 1, 5, 9, 2, 6]
    squares = (reading * reading for reading in readings)
    print(remaining(squares), "to come")
    print(sum(squares))


main()
