# SPDX-License-Identifier: Apache-2.0
"""A warehouse prints the routing codes of each pallet as one line of its label."""

import labelling

HUBS = ("HAM", "BER", "LEJ", "MUC", "STR", "CGN", "FRA", "NUE")


def route(pallet):
    """The hubs that a pallet passes, with the gate at each."""
    stops = 4 + pallet // 10
    return [f"{HUBS[(pallet + n) % 8]}-{(pallet * 7 + n) % 90 + 10:02}" for n in range(stops)]


def print_labels(pallets):
    lines = []
    for pallet in pallets:
        lines.append(labelling.join_codes(route(pallet)))
    return lines


def main():
    printed = print_labels(range(4000))
    print(len(printed), max(len(line) for line in printed))


main()
