# SPDX-License-Identifier: Apache-2.0
"""Watches of a gallery: sensors tell their guards, who may call for help while they are told."""

import functools

import watch


def log(room, sensor, value):
    if value > 900:
        print("room", room, "sensor", sensor, "at", value)


class Guard:
    def __init__(self, centre, room):
        self.centre = centre
        self.room = room
        self.calm = True

    def told(self, sensor, value):
        if value > 40 and self.calm:
            self.calm = False
            self.call_for_help()

    def call_for_help(self):
        for room in range(self.room + 1, self.room + 25):
            self.centre.subscribe(functools.partial(log, room))


def main():
    centre = watch.Centre()
    for room in range(4096):
        centre.subscribe(Guard(centre, 100 * room).told)
    for sensor, value in enumerate([3, 12, 38, 57, 61]):
        centre.publish(sensor, value)
    print(centre.size(), "listen")


main()
