# SPDX-License-Identifier: Apache-2.0
"""A print service: the loop takes orders, the slow typesetting is done in a thread."""

import asyncio
import os


def break_lines(words, width):
    """Return where to break a text so that its lines are even (the slow, exact way)."""
    best = [(0, 0)]
    for end in range(1, len(words) + 1):
        options = []
        for start in range(end):
            used = sum(len(word) + 1 for word in words[start:end])
            penalty = (width - used) ** 2 if used <= width else 10**9
            options.append((best[start][0] + penalty, start))
        best.append(min(options))
    return best


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def take_order(reader, writer):
    line = await reader.readline()
    writer.write(b"%d\n" % len(line))
    await writer.drain()
    writer.close()


async def beat():
    while True:
        await asyncio.sleep(30)


async def main():
    await asyncio.start_server(take_order, "127.0.0.1", 0)
    beating = asyncio.ensure_future(beat())
    words = ["w" * (number % 9 + 1) for number in range(6000)]
    asyncio.get_running_loop().call_later(0.5, tell)
    print(len(await asyncio.to_thread(break_lines, words, 70)))
    beating.cancel()


asyncio.run(main())
