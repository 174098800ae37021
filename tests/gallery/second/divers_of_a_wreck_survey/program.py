# SPDX-License-Identifier: Apache-2.0
"""A survey of a wreck: divers send sonar strips over a cable, the boat plots them with trio."""

import logging
import math
import os
from dataclasses import dataclass

import trio

log = logging.getLogger("wreck")


@dataclass
class Strip:
    diver: str
    number: int
    depths: list


class CableLost(Exception):
    """The cable to a diver has been cut."""


class Plotter:
    """Draws strips on the chart and owes each diver a receipt."""

    def __init__(self, strips, receipts):
        self.strips = strips
        self.receipts = receipts
        self.plotted = 0

    async def run(self):
        async for strip in self.strips:
            await trio.sleep(0.02)
            self.plotted += 1
            await self.receipts[strip.diver].send(strip.number)


class Diver:
    def __init__(self, name, strips, receipts, cable_good_for):
        self.name = name
        self.strips = strips
        self.receipts = receipts
        self.cable_good_for = cable_good_for
        self.confirmed = []

    def measure(self, number):
        if number >= self.cable_good_for:
            raise CableLost(f"{self.name} after {number} strips")
        return Strip(self.name, number, [30 + math.sin(number + step) for step in range(64)])

    async def hand_over(self, strip):
        await self.strips.send(strip)

    async def log_off(self, sent):
        """Wait for what the boat still owes; a diver must not leave before."""
        with trio.CancelScope(shield=True):
            while len(self.confirmed) < sent:
                self.confirmed.append(await self.receipts.receive())
            log.info("%s is out of the water", self.name)

    async def run(self):
        sent = 0
        try:
            for number in range(10_000):
                await self.hand_over(self.measure(number))
                sent += 1
                await trio.sleep(0.05)
        finally:
            await self.log_off(sent)


async def heartbeat(plotter):
    while True:
        await trio.sleep(5)
        log.info("plotted %d", plotter.plotted)


async def compressor():
    """Keeps the air coming."""
    pressure = 200.0
    while True:
        pressure = min(200.0, pressure + 1)
        await trio.sleep(1)


async def main():
    into_plotter, strips = trio.open_memory_channel(4)
    to_divers, divers = {}, []
    for name, good_for in (("ada", 10_000), ("bo", 12), ("cy", 10_000)):
        to_divers[name], receipts = trio.open_memory_channel(1000)
        divers.append(Diver(name, into_plotter, receipts, good_for))
    plotter = Plotter(strips, to_divers)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    async with trio.open_nursery() as boat:
        boat.start_soon(plotter.run, name="plotter")
        boat.start_soon(heartbeat, plotter, name="heartbeat")
        boat.start_soon(compressor, name="compressor")
        for diver in divers:
            boat.start_soon(diver.run, name=f"diver-{diver.name}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    trio.run(main)
