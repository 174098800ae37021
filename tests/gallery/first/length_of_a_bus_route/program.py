# SPDX-License-Identifier: Apache-2.0
"""A timetable planner: routes.so measures routes with the functions that geometry.so offers."""

import geometry
import routes

STOPS = [(0.0, 0.0), (1.2, 0.4), (2.0, 1.9), (3.5, 2.2), (4.1, 4.0)]


def plan(stops, speed):
    length = routes.length(stops)
    return length / speed


def main():
    print("first leg", geometry.distance(*STOPS[0], *STOPS[1]))
    print("hours", plan(STOPS, 18.0))


main()
