# SPDX-License-Identifier: Apache-2.0
"""Routes log lines by POSIX patterns, compiled by the C library and kept in a small cache."""

import ctypes
from collections import OrderedDict

libc = ctypes.CDLL(None)
libc.regexec.argtypes = [
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_int,
]
EXTENDED, NOSUB = 1, 8


class Patterns:
    def __init__(self, room):
        self.room = room
        self.kept = OrderedDict()

    def compiled(self, text):
        if text not in self.kept:
            if len(self.kept) >= self.room:
                libc.regfree(self.kept.popitem(last=False)[1])
            pattern = ctypes.create_string_buffer(128)
            if libc.regcomp(pattern, text.encode(), EXTENDED | NOSUB):
                raise ValueError(text)
            self.kept[text] = pattern
        return self.kept[text]


class Router:
    def __init__(self, patterns, rules):
        self.routes = [(patterns.compiled(rule), target) for rule, target in rules]

    def targets(self, line):
        return [t for p, t in self.routes if libc.regexec(p, line.encode(), 0, None, 0) == 0]


def main():
    patterns = Patterns(8)
    first = Router(patterns, [(f"^node{n}.*(error|fatal)", f"queue{n}") for n in range(6)])
    print(first.targets("node3 disk error"), flush=True)
    second = Router(patterns, [(f"user=[a-z]+{n}$", f"audit{n}") for n in range(6)])
    print(second.targets("login user=ann4"), flush=True)
    print(first.targets("node5 fatal"), flush=True)


main()
