# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py"]}
"""Die with values that are long, wide and deep among the locals."""

import collections

import deathbed
from values import dying


class Link:
    """Its repr() calls six functions in one another before it comes to the next link."""

    def __init__(self, following):
        self.following = following

    first = property(lambda self: self.second)
    second = property(lambda self: self.third)
    third = property(lambda self: self.fourth)
    fourth = property(lambda self: self.fifth)
    fifth = property(lambda self: self.text)
    text = property(lambda self: f"{self.following!r}")

    def __repr__(self):
        return f"Link({self.first})"


def kept(way, inner):
    dying(way, None)
    return locals()


def huge(way):
    text, wide_text, lone = "x" * 10_000_000, "\u20ac" * 10_000_000, "a" * 9_999_999 + "\udc80"
    raw, buffer = b"\x00" * 10_000_000, bytearray(10_000_000)
    numbers, floats = list(range(1_000_000)), [0.5] * 1_000_000
    pairs = tuple((number, str(number)) for number in range(200_000))
    table = {number: str(number) for number in range(1_000_000)}
    named = {str(number): number for number in range(300_000)}
    members = set(range(1_000_000))
    queue = collections.deque(range(1_000_000))
    ordered = collections.OrderedDict((n, n) for n in range(200_000))
    counted = collections.Counter({n: n % 7 for n in range(200_000)})
    long_int = 1 << 8_000_000
    deep, deep_dict, deep_tuple = [], {}, ()
    for _ in range(100_000):
        deep, deep_dict, deep_tuple = [deep], {"d": deep_dict}, (deep_tuple,)
    chain = None
    for _ in range(100):
        chain = Link(chain)
    small = "small"
    return kept(way, None)


def variables_of_kept():
    """Keep the truth small: values.variables() would write down every repr."""
    import values

    original = values.variables

    def only_small(frame):
        if frame.f_code.co_name != "huge":
            return original(frame)
        code = frame.f_code
        return {"function": code.co_name, "file": code.co_filename, "kinds": {"way": ""}}

    values.variables = only_small


if __name__ == "__main__":
    variables_of_kept()
    huge(deathbed.prepare("raise"))
