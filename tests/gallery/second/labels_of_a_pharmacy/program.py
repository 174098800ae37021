# SPDX-License-Identifier: Apache-2.0
"""Prints the labels of a pharmacy's drawers in the order of a round."""

from drawers import Drawer, Label

CONTENTS = ["camomile", "valerian root", "sage", "peppermint", "linden blossom", "arnica"]


def furnish(count):
    names = [f"{CONTENTS[number % 6]} no. {number}" for number in range(count)]
    return [Drawer(number, Label(name)) for number, name in enumerate(names)]


def round_of(drawers):
    for drawer in drawers:
        yield drawer.number, drawer.label.width()


def main():
    drawers = furnish(60)
    for number in range(20):
        widths = dict(round_of(drawers))
        print("round", number, max(widths.values()), flush=True)


if __name__ == "__main__":
    main()
