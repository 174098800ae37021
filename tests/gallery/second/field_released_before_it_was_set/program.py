# SPDX-License-Identifier: Apache-2.0
"""An extension makes an object and, when its arguments are wrong, frees it before its fields were
set: it releases what lay in that memory before.
"""

import labels


def read_codes(number):
    return [(b"code-%06d-" % n) * 2 + b"end." for n in range(number)]


def make_labels(rows):
    made = []
    for row in rows:
        try:
            made.append(labels.make(*row))
        except TypeError as error:
            print(error)
    return made


def main():
    owner = object()
    codes = read_codes(2000)
    print(sum(map(len, codes)))
    codes.clear()
    make_labels([(1, "left", owner), (2, "right", owner), (3, b"up", owner), (4, b"down", owner)])


main()
