# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside 60 threads that all ran the same hot code, each at another depth and another line.

A free-threaded 3.14 gives each thread a copy of the bytecode of its own.
"""

import threading

import deathbed

THREADS = 60
held = threading.Lock()


def work(number, depth, waits):
    total = 0
    for turn in range(50):
        total += turn * number
    if depth:
        total += work(number, depth - 1, waits)
    elif waits:
        deathbed.parked.append(number)
        held.acquire()
    return total


def generated(number):
    yield work(number, 3, False)
    if number % 3 == 0:
        yield work(number, number % 7, True)
    elif number % 3 == 1:
        yield [work(number, item, True) for item in (number % 5,)]
    else:
        yield sum(
            work(number, item, True)
            for item in range(1)
        )  # fmt: skip


def run(number):
    for _ in range(20):
        work(number, 2, False)
    return list(generated(number))


def main():
    held.acquire()
    threading.stack_size(1 << 18)
    for number in range(THREADS):
        threading.Thread(target=run, args=(number,), daemon=True).start()
    way = deathbed.prepare("raise")
    deathbed.gather(THREADS)
    work(1, 2, False)
    deathbed.die(way)


if __name__ == "__main__":
    main()
