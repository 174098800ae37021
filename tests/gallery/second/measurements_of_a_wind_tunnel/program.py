# SPDX-License-Identifier: Apache-2.0
"""Stores the measurements of a wind tunnel: some probes send, one writer stores."""

import os
from pathlib import Path

import trio


async def read_probe(number, measurements):
    async with measurements:
        for step in range(40):
            await trio.sleep(0.002)
            await measurements.send((number, step, 101325 + number * step))


async def store_measurements(measurements):
    stored = 0
    with open("tunnel.csv", "w") as out:
        async for probe, step, pascal in measurements:
            out.write(f"{probe},{step},{pascal}\n")
            stored += 1
    return stored


async def run_tunnel(probes):
    outgoing, incoming = trio.open_memory_channel(16)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store_measurements, incoming)
        for number in range(probes):
            nursery.start_soon(read_probe, number, outgoing.clone())
    print("run is stored")


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    trio.run(run_tunnel, 5)
