# SPDX-License-Identifier: Apache-2.0
"""Plays the adverts of customers on screens, each customer's in turn."""

import json
import os


class Screen:
    def __init__(self, number, customers):
        self.number = number
        self.adverts = [[f"{name} {n}" for n in range(400)] for name in customers]
        self.turns = [iter(adverts) for adverts in self.adverts]
        self.played = 0

    def play(self, seconds):
        shown = 0
        for second in range(seconds):
            advert = next(self.turns[second % len(self.turns)], None)
            if advert is not None:
                shown += len(advert)
                self.played += 1
        return shown


def main():
    customers = ["bakery", "cinema", "museum", "garage", "tailor"]
    screens = [Screen(number, customers) for number in range(30)]
    print(sum(screen.play(100) for screen in screens), flush=True)
    turn = screens[17].turns[3]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(turn) + 24, 45]]}) + "\n")
    input()
    for screen in screens[:15]:
        screen.play(200)
    print("first hall", screens[3].played, flush=True)
    print(sum(screen.play(100) for screen in screens))


main()
