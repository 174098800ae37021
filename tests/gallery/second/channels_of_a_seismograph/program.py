# SPDX-License-Identifier: Apache-2.0
"""Finds the strongest second of each channel of a seismograph."""

import asyncio

import seismo

RATE = 200


def record(channel):
    trace = seismo.Trace(RATE * (600 + 60 * channel))
    return memoryview(trace)


def strongest_second(samples):
    best, at = 0.0, 0
    for second in range(0, len(samples) // RATE, 50):
        energy = sum(x * x for x in samples[second * RATE : (second + 1) * RATE])
        if energy > best:
            best, at = energy, second
    return at, best


async def watch(channel, found):
    samples = record(channel)
    await asyncio.sleep(0.01)
    found[channel] = strongest_second(samples)


async def main():
    found = {}
    await asyncio.gather(*(watch(channel, found) for channel in range(6)))
    for channel, (at, energy) in sorted(found.items()):
        print("channel %d: second %d, %.3f" % (channel, at, energy))


if __name__ == "__main__":
    asyncio.run(main())
