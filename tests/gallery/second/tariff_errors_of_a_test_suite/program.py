# SPDX-License-Identifier: Apache-2.0
"""Tests of a tariff module: each test gets the module's names replaced and put back."""

import gc

import tariffs


class Patch:
    """What a test puts in place of a module's name."""

    def __init__(self, module, name, value):
        self.place = (module, name)
        self.value = value

    def __enter__(self):
        setattr(*self.place, self.value)

    def __exit__(self, *error):
        delattr(*self.place)


def test_price():
    assert tariffs.price(12) == 36


def test_refused(kind):
    with Patch(tariffs, "TariffError", kind):
        try:
            tariffs.price(1)
        except ValueError:
            pass


def tear_down(notes):
    """Leave nothing behind that would count as a leak of the next test."""
    gc.collect()
    notes.append([bytearray(b"z") * size for size in range(600, 2400, 8)])


def main():
    notes = []
    for _ in range(3):
        test_price()
        test_refused(type("FakeError", (ValueError,), {}))
        tear_down(notes)
        try:
            tariffs.price(-1)
        except ValueError as error:
            notes.append(str(error))
    print(len(notes))


main()
