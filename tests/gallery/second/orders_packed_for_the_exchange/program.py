# SPDX-License-Identifier: Apache-2.0
"""Pack orders into the binary messages of an exchange, which may renew their layout."""

import struct

WIDE = "<" + "I" * 3000
SHORT = "<" + "H" * 40


class Wire:
    def __init__(self):
        self.layout = struct.Struct(WIDE)
        self.spare = []

    def renew(self, form):
        """Take over the layout that the exchange has announced."""
        self.layout.__init__(form)
        self.spare = [b"\xee" * 70000 for _ in range(40)]

    def send(self, quantities):
        return self.layout.pack(*quantities)


class Quantity:
    """A quantity that asks the exchange for its lot size when it is first needed."""

    def __init__(self, wire, lots):
        self.wire = wire
        self.lots = lots
        self.lot_size = None

    def __index__(self):
        if self.lot_size is None:
            self.lot_size = 100
            if self.lots == 7:
                self.wire.renew(SHORT)
        return self.lots * self.lot_size


def main():
    wire = Wire()
    quantities = [Quantity(wire, number % 1000) for number in range(3000)]
    message = wire.send(quantities)
    print(len(message))


main()
