# SPDX-License-Identifier: Apache-2.0
"""A notary shares out a legacy, a third of what is left at a time."""

import os
from decimal import Decimal

CENT = Decimal("0.01")


def share(legacy, heirs):
    left, parts = legacy, []
    while left:
        part = (left / heirs).quantize(CENT)
        left -= part
        if part:
            parts.append(part)
    return parts


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tell()
    print(share(Decimal("1250.00"), 3))


main()
