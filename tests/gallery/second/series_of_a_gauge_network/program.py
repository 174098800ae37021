# SPDX-License-Identifier: Apache-2.0
"""Joins the packets of a year of a gauge network into one series."""

import os
import struct
from pathlib import Path

import numpy as np

PACKETS = 3_000_000
PER_PACKET = 24


def packets(seed=7):
    values = np.random.default_rng(seed).normal(12.0, 2.5, 24 * 997)
    for number in range(PACKETS):
        start = number % 997 * PER_PACKET
        yield struct.pack(f"<{PER_PACKET}d", *values[start : start + PER_PACKET])


class Series:
    def __init__(self, station):
        self.station = station
        self.levels = np.empty(0)
        self.packets = 0

    def add_packet(self, packet):
        self.levels = np.append(self.levels, np.frombuffer(packet, "<f8"))
        self.packets += 1


def load_series(station):
    series = Series(station)
    for packet in packets():
        series.add_packet(packet)
    return series


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    print(load_series("weir-17").levels.mean())
