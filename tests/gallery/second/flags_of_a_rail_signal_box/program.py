# SPDX-License-Identifier: Apache-2.0
"""Follows the levers of a signal box and prints which routes are open."""

import signalbox

ROUTES = {
    "down main": ("7", "9", "12"),
    "up main": ("8", "10"),
    "goods loop": ("7", "11", "14"),
}


def levers_at(minute):
    return {str(number): (number * 7 + minute) % 5 != 0 for number in range(1, 20)}


def is_open(levers, route):
    return all(signalbox.read_lever(levers, name) for name in ROUTES[route])


def day():
    for minute in range(24 * 60):
        levers = levers_at(minute)
        yield sum(is_open(levers, route) for route in ROUTES)


if __name__ == "__main__":
    print("routes open on average: %.2f" % (sum(day()) / 1440))
