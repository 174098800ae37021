# SPDX-License-Identifier: Apache-2.0
"""A code object was rewritten by hand so that it loads a constant far beyond its tuple."""

import dis


def price(quantity):
    quantity += 7.25
    return quantity


def patched(function, slot):
    code = function.__code__
    raw = bytearray(code.co_code)
    for at in range(0, len(raw), 2):
        if dis.opname[raw[at]] == "LOAD_CONST":
            raw[at + 1] = slot
    function.__code__ = code.replace(co_code=bytes(raw))
    return function


def main():
    orders = [{"id": n, "lines": [n] * 3} for n in range(200)]
    for slot in range(255, 100, -1):
        try:
            orders.append(str(patched(price, slot)(3)))
        except TypeError:
            pass


main()
