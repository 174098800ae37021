# SPDX-License-Identifier: Apache-2.0
"""A dashboard gives each of its series a colour of the house's palette."""

import itertools
import os
import threading

PALETTE = ["navy", "teal", "olive", "maroon", "orange", "purple", "grey", "gold"]


class Dashboard:
    def __init__(self):
        self.colours = {}

    def free_colour(self):
        used = set(self.colours.values())
        return next(colour for colour in itertools.cycle(PALETTE) if colour not in used)

    def add(self, series):
        self.colours[series] = self.free_colour()

    def legend(self):
        return ["%s (%s)" % pair for pair in sorted(self.colours.items())]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(0.8, tell).start()
    dashboard = Dashboard()
    for region in ("north", "east", "south"):
        for measure in ("visits", "orders", "returns"):
            dashboard.add("%s %s" % (region, measure))
    print(dashboard.legend())


main()
