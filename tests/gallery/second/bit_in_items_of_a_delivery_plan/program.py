# SPDX-License-Identifier: Apache-2.0
"""Delivery service: tours as lists of stops; one bit of the pointer from a tour to its items is
flipped from outside.
"""

import json
import os


class Stop:
    def __init__(self, number):
        self.number = number
        self.minutes = 3 + number % 5


def plan(stops, tours):
    return [[stop for stop in stops if stop.number % tours == n] for n in range(tours)]


def length_of_tour(tour):
    return sum(stop.minutes for stop in tour)


def longest(tours):
    return max(length_of_tour(tour) for tour in tours)


def main():
    tours = plan([Stop(number) for number in range(240)], 8)
    print(longest(tours), flush=True)
    victim = id(tours[5]) + 24
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 41]]}) + "\n")
    input()
    print(longest(tours))


main()
