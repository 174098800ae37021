# SPDX-License-Identifier: Apache-2.0
"""A queue is refilled backwards."""


class Refill:
    def __iter__(self):
        queue.clear()
        return iter(range(100_000))


queue = list(range(100_000))


def reverse_refill():
    queue[::-1] = Refill()


reverse_refill()
