# SPDX-License-Identifier: Apache-2.0
"""Plans the legs of a glider flight from waypoint to waypoint."""

from glider import Plan

WAYPOINTS = [
    ("Aalen", 48.78, 10.26),
    ("Donzdorf", 48.68, 9.81),
    ("Hornberg", 48.75, 9.86),
    ("Teck", 48.61, 9.44),
    ("Degerfeld", 48.28, 9.01),
    ("Klippeneck", 48.11, 8.76),
]


def plan(waypoints, home):
    flight = Plan()
    for name, latitude, longitude in waypoints:
        flight.add(name, latitude, longitude)
    flight.move_home(*home)
    return flight


def main():
    for home in [None, (48.90, 9.45), (48.01, 7.83)]:
        if home is None:
            flight = Plan()
            for waypoint in WAYPOINTS:
                flight.add(*waypoint)
        else:
            flight = plan(WAYPOINTS, home)
        print(home, "needs", round(flight.length(), 2), "degrees", flush=True)


if __name__ == "__main__":
    main()
