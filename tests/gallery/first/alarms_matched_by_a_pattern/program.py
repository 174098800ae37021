# SPDX-License-Identifier: Apache-2.0
"""Alarms of a plant, matched by POSIX patterns, with a limit for each."""

import ctypes

libc = ctypes.CDLL(None)
EXTENDED, NOSUB = 1, 8


class Pattern(ctypes.Structure):
    _fields_ = [
        ("program", ctypes.c_void_p),
        ("allocated", ctypes.c_size_t),
        ("used", ctypes.c_size_t),
        ("groups", ctypes.c_size_t),
    ]


class Rule:
    def __init__(self, text, limit):
        self.pattern = Pattern()
        self.limit = limit * 1.5
        self.text = text

    def compile(self):
        if libc.regcomp(ctypes.byref(self.pattern), self.text.encode(), EXTENDED | NOSUB):
            raise ValueError(self.text)


def load(number):
    rules = [Rule(f"^pump{n}(a|b).*pressure", n) for n in range(number)]
    for rule in rules:
        rule.compile()
    return rules


def main():
    rules = load(300)
    print(len(rules), flush=True)
    readings = [(n % 300, n * 0.75) for n in range(3000)]
    for hour in range(3):
        late = [(number, value) for number, value in readings if value > rules[number].limit + hour]
        print(hour, len(late), flush=True)


main()
