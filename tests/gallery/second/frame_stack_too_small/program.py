# SPDX-License-Identifier: Apache-2.0
"""A tool rebuilt a code object with too small a value stack; evaluating it writes beyond the
frame into what lies behind.
"""

BIG = "def collect(a):\n    return f(%s)\n" % ", ".join("(a, %d)" % n for n in range(60_000))


def f(*values):
    return len(values)


def shrunk(function):
    function.__code__ = function.__code__.replace(co_stacksize=1)
    return function


def main():
    names = {"f": f}
    exec(BIG, names)
    collect = shrunk(names["collect"])
    keep = []
    for _ in range(200):
        keep.append(collect(object()))
        keep.append([{"k": n} for n in range(50)])
    print(len(keep))


main()
