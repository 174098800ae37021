# SPDX-License-Identifier: Apache-2.0
"""Tariffs of all regions, read side by side from their kept states."""

import pickle
from concurrent.futures import ThreadPoolExecutor

STATE = (
    b"\x80\x03ctariffs\nTariff\n)\x81}(X\x04\x00\x00\x00baseK\x04X\x08\x00\x00\x00per_kiloK\x02ub."
)


class Tariff:
    base = per_kilo = 0


def read_region(name):
    return name, pickle.loads(STATE)


with ThreadPoolExecutor(2) as pool:
    REGIONS = dict(pool.map(read_region, ["north", "south", "islands"]))
