# SPDX-License-Identifier: Apache-2.0
"""Packs the states of the lamps of a control room into one record."""

import struct


class Panel:
    """A record of flags; its layout follows the number of lamps."""

    def __init__(self, lamps):
        self.layout = struct.Struct("<" + "?" * lamps)
        self.lamps = [Lamp(self, number) for number in range(lamps)]

    def reduced_to(self, lamps):
        self.layout.__init__("<" + "?" * lamps)

    def record(self):
        return self.layout.pack(*self.lamps)


class Lamp:
    def __init__(self, panel, number):
        self.panel = panel
        self.number = number
        self.broken = False

    def __bool__(self):
        if self.broken:
            # A broken lamp ends the row: what is behind it has no current.
            self.panel.reduced_to(self.number)
        return not self.broken


def main():
    panel = Panel(60_000)
    print(len(panel.record()))
    panel.lamps[420].broken = True
    print(len(panel.record()))


main()
