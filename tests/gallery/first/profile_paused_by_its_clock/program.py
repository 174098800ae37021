# SPDX-License-Identifier: Apache-2.0
"""Profiles requests with the clock of the simulator; when the simulator has no more time to give,
the profile is put aside."""

import cProfile


class SimulatedClock:
    def __init__(self, ticks):
        self.ticks = ticks
        self.profile = None

    def __call__(self):
        self.ticks -= 1
        if self.ticks < 0:
            self.profile.disable()
            self.profile.clear()
        return -self.ticks / 1000


def answer(request):
    return sorted(str(request))


def serve(requests):
    for request in requests:
        answer(request)


def main():
    clock = SimulatedClock(ticks=40)
    clock.profile = cProfile.Profile(clock)
    clock.profile.enable()
    serve(range(100))
    clock.profile.disable()
    clock.profile.print_stats()


main()
