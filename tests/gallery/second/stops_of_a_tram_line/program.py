# SPDX-License-Identifier: Apache-2.0
"""The stops of tram lines, walked again for every departure."""

import lines


def departures(number):
    line = lines.Line([f"stop {number}.{n}" for n in range(12)])
    return line


def minutes_until_the_end(line, times):
    total = 0
    for _ in range(times):
        for stop in line:
            total += len(stop)
        line.rewind()
    return total


def main():
    network = [departures(number) for number in range(40)]
    boards = {n: line for n, line in enumerate(network)}
    for hour in range(6):
        for number, line in boards.items():
            minutes_until_the_end(line, 1)
        print("hour", hour, sum(len(line.name()) for line in network), flush=True)


main()
