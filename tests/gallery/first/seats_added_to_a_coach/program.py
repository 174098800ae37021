# SPDX-License-Identifier: Apache-2.0
"""Coaches of a train with their seats, which a compiled plan keeps, and their passengers."""

import seating


class Coach:
    def __init__(self, number):
        self.number = number
        self.plan = seating.plan(8)
        self.passengers = [f"passenger {number}"]

    def board(self, name):
        self.passengers.append(name)
        seating.take(self.plan, len(self.passengers))

    def lengthen(self):
        seating.lengthen(self.plan, 8)


def travellers(coaches):
    return sum(len(", ".join(coach.passengers)) for coach in coaches)


def main():
    coaches = [Coach(number) for number in range(500)]
    for coach in coaches:
        coach.board("Ms Fern")
        coach.board("Mr Reed")
    print(travellers(coaches), flush=True)
    for coach in coaches[300:308]:
        coach.lengthen()
    print("lengthened", flush=True)
    for coach in coaches:
        coach.board("Ms Rush")
    print(travellers(coaches))


main()
