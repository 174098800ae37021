# SPDX-License-Identifier: Apache-2.0
"""Prints the plan of a harbour, week by week; each berth knows its ship."""

import berths

SHIPS = ["Aurora", "Bluebell", "Cormorant", "Dauntless"]


def plan(harbour, day):
    lines = {}
    for pier, berth in enumerate(harbour):
        ship, calls = berth.report()
        lines[pier, day] = (ship, "call %d" % calls)
    return lines


def week(harbour, start):
    lines = {}
    for day in range(start, start + 7):
        lines.update(plan(harbour, day))
    return ["%s (%s)" % line for _, line in sorted(lines.items())]


def main():
    harbour = [berths.Berth(ship.upper()) for ship in SHIPS]
    for start in range(0, 364, 7):
        print("\n".join(week(harbour, start)))


main()
