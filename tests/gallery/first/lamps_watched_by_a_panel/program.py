# SPDX-License-Identifier: Apache-2.0
"""A control panel that keeps weak references to the lamps of a stage."""

import weakref

import stage


class Panel:
    def __init__(self):
        self.watched = {}

    def watch(self, number, lamp):
        self.watched[number] = weakref.ref(lamp)

    def brightness(self):
        levels = []
        for number, watched in sorted(self.watched.items()):
            lamp = watched()
            if lamp is not None:
                levels.append((number, lamp.label.upper()))
        return levels


def main():
    panel = Panel()
    lamps = [stage.Lamp(f"lamp in row {n}") for n in range(60)]
    for number, lamp in enumerate(lamps):
        panel.watch(number, lamp)
    print(len(panel.brightness()), flush=True)
    del lamps[10:50]
    cues = [bytes([200 + n % 40]) * 23 for n in range(400)]
    print(len(panel.brightness()), len(cues), flush=True)


main()
