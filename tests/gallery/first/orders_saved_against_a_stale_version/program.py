# SPDX-License-Identifier: Apache-2.0
"""A shop saves orders with optimistic locking."""

import os


class StoreError(Exception):
    """The store refuses something."""


class StaleVersion(StoreError):
    """Somebody else has written meanwhile."""


class Store:
    def __init__(self):
        self.version, self.orders = 3, {}

    def write(self, version, number, order):
        if version != self.version + 1:
            raise StaleVersion(f"{version} where {self.version + 1} is next")
        self.version, self.orders[number] = version, order


def save(store, number, order):
    version = store.version
    while True:
        try:
            store.write(version, number, order)
        except StaleVersion:
            continue
        return version


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tell()
    print(save(Store(), 17, "two chairs"))


main()
