# SPDX-License-Identifier: Apache-2.0
"""Retries of a booking client; a call that is described in the log may be re-armed by it."""

import functools


def book(*stops, seats=1):
    raise TimeoutError(stops)


class Stop:
    def __init__(self, name, plan=None):
        self.name = name
        self.plan = plan

    def __repr__(self):
        if self.plan is not None:
            return self.plan.described(self)
        return self.name


class Plan:
    """A call that is to be made again, and its shorter form once it was logged."""

    def __init__(self, names):
        stops = [Stop(name) for name in names]
        stops[1].plan = self
        self.call = functools.partial(book, *stops, seats=2)
        self.logged = 0

    def described(self, stop):
        self.logged += 1
        if self.logged > 1:
            self.call.__setstate__((book, (stop.name,), {}, None))
        return stop.name

    def log(self):
        return repr(self.call)


def main():
    names = [f"stop {number}" for number in range(12)]
    plan = Plan(names)
    for attempt in range(3):
        try:
            plan.call()
        except TimeoutError:
            print(attempt, plan.log(), flush=True)


main()
