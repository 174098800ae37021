# SPDX-License-Identifier: Apache-2.0
"""A heating control keeps weak references to its thermostats: a removed one is forgotten."""

import array
import weakref

import heating


class House:
    def __init__(self):
        self.watched = []

    def add(self, degrees):
        thermostat = heating.Thermostat(degrees)
        self.watched.append(weakref.ref(thermostat))
        return thermostat

    def forget_all(self):
        while self.watched:
            self.watched.pop()


def main():
    house = House()
    rooms = [house.add(18 + room) for room in range(12)]
    print(len(rooms), [room.degrees for room in rooms[:3]])
    rooms.clear()
    plan = [array.array("d", [17.5 + hour] * 6) for hour in range(1, 100)]
    house.forget_all()
    print(len(plan), "steps planned")


main()
