# SPDX-License-Identifier: Apache-2.0
"""Print the stops of the night buses; the timetable is read by an extension."""

import timetable

LINES = {
    "N7": "Harbour|Old Market|Station|Hospital|Hill",
    "N9": "Station|University|North Gate",
}


def stops(line):
    return timetable.split(LINES[line])


def column(names, width=14):
    text = []
    for name in names:
        text.append(name.ljust(width))
    return "".join(text)


def print_board(lines):
    for line in lines:
        print(line, column(stops(line)))


print_board(sorted(LINES))
