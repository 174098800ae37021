# SPDX-License-Identifier: Apache-2.0
"""gc.get_referrers hands out a tuple that is still being filled; its unset items are NULL, and
using one crashes.
"""

import gc


def rows():
    marker = object()
    yield marker
    for holder in gc.get_referrers(marker):
        if type(holder) is tuple:
            inspect(holder)


def inspect(holder):
    print(len(holder))
    for item in holder:
        print(type(item))


def consume():
    return tuple(rows())


consume()
