# SPDX-License-Identifier: Apache-2.0
"""A web worker profiles its first requests with a sampling profiler, then serves the rest."""

import sampler


def handle(number):
    rows = [(number, column, column * 0.5) for column in range(40)]
    rows.sort(key=lambda row: -row[1])
    return sum(row[2] for row in rows)


def profiled(requests):
    sampler.start(52)
    total = sum(handle(number) for number in range(requests))
    print("samples", sampler.report())
    return total


def serve(requests):
    recent = []
    for number in range(requests):
        recent.append(([(number, n) for n in range(44)], handle(number)))
        if len(recent) > 200:
            del recent[:100]
    return len(recent)


def main():
    print(profiled(2000))
    print(serve(1000000))


main()
