# SPDX-License-Identifier: Apache-2.0
"""Depths of a channel, read from the files that its buoys leave."""

import sounding


def depths(names):
    found = {}
    for name in names:
        depth = sounding.read_depth(name)
        found[name] = "unknown" if depth is None else "%.1f m" % depth
    return found


def main():
    for number, text in enumerate(("12.5", "9.75", "", "11.0")):
        with open("buoy-%d.txt" % number, "w") as file:
            file.write(text)
    table = depths(["buoy-%d.txt" % number for number in range(4)])
    for name, depth in sorted(table.items(), key=lambda item: item[1]):
        print(name, depth)
    print(min(table, key=lambda name: table[name]))


main()
