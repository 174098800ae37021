# SPDX-License-Identifier: Apache-2.0
"""`array[i] = value` converts the value with its `__float__`, which empties the array; the
interpreter then stores into memory that the array no longer has.
"""

import array


class Reading:
    def __init__(self, store):
        self.store = store

    def __float__(self):
        del self.store[:]
        return 1.5


def replace_last(store):
    store[len(store) - 1] = Reading(store)


def main():
    store = array.array("d", [0.0] * 20)
    replace_last(store)
    print(store)


main()
