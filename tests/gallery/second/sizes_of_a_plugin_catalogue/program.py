# SPDX-License-Identifier: Apache-2.0
"""Estimate the memory that the record layouts of all device plugins take."""

import struct
import sys


class LazyLayout(struct.Struct):
    """A layout whose format is looked up when the plugin is used first."""

    def __init__(self, device):
        self.device = device

    def load(self, formats):
        struct.Struct.__init__(self, formats[self.device])
        return self


class Catalogue:
    def __init__(self):
        self.layouts = {}

    def register(self, device, layout):
        self.layouts[device] = layout

    def memory(self):
        return sum(sys.getsizeof(layout) for layout in self.layouts.values())


def make(device):
    if sys.version_info >= (3, 13):
        return LazyLayout.__new__(LazyLayout)
    return LazyLayout(device)


def main():
    catalogue = Catalogue()
    catalogue.register("scale", struct.Struct("<IHf"))
    for device in ("meter", "gate", "printer"):
        layout = catalogue.register(device, make(device))
    print("layouts take", catalogue.memory(), "bytes")


main()
