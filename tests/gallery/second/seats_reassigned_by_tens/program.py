# SPDX-License-Identifier: Apache-2.0
"""A theatre gives every tenth seat to the box office; what it draws them from is the plan
itself."""


class Plan:
    def __init__(self, seats):
        self.seats = list(range(seats))
        self.closed = False

    def close(self):
        self.closed = True
        self.seats.clear()

    def draw(self, count):
        """Yield seats for the box office, and close the plan behind the last one."""
        for seat in self.seats[:count]:
            yield -seat
        self.close()


def reassign(plan, step):
    wanted = len(plan.seats[::step])
    plan.seats[::step] = plan.draw(wanted)
    return len(plan.seats)


def main():
    small = Plan(200)
    small.seats[::10] = [0] * 20
    print(sum(small.seats))
    hall = Plan(60_000)
    print(reassign(hall, 10))


main()
