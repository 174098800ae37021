# SPDX-License-Identifier: Apache-2.0
"""A native planner waits for a go-ahead and then returns the plan of a hall."""

import planner


class Hall:
    def __init__(self, rows, seats):
        self.rows = rows
        self.seats = seats

    def plan(self):
        return planner.plan(self.rows, self.seats)


def main():
    hall = Hall(24, 31)
    print(hall.plan(), "seats")


main()
