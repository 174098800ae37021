# SPDX-License-Identifier: Apache-2.0
"""Prices and rates, each computed once and of each other."""

import functools
import os
import threading

gate = threading.Barrier(2)


class Catalogue:
    rates = None

    @functools.cached_property
    def prices(self):
        gate.wait()
        return [2 * rate for rate in self.rates.table]


class Rates:
    catalogue = None

    @functools.cached_property
    def table(self):
        gate.wait()
        return [price / 2 for price in self.catalogue.prices]


def connect():
    catalogue, rates = Catalogue(), Rates()
    catalogue.rates = rates
    rates.catalogue = catalogue
    return catalogue, rates


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    catalogue, rates = connect()
    east = threading.Thread(target=lambda: catalogue.prices, name="east")
    west = threading.Thread(target=lambda: rates.table, name="west")
    east.start()
    west.start()
    threading.Timer(0.8, tell).start()
    east.join()
    west.join()


main()
