# SPDX-License-Identifier: Apache-2.0
"""A drawing of a floor plan: shapes are added, and dropped when a room is rebuilt."""

import scene


def furnish(rooms):
    for room in range(rooms):
        for n in range(12):
            scene.add(f"chair {room}.{n}", n * 0.5, room * 2.0)
    return scene.count()


def main():
    print(furnish(8), flush=True)
    print(scene.drop(20), scene.count())


main()
