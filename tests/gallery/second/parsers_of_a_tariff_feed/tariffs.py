# SPDX-License-Identifier: Apache-2.0
"""The tariff tables, read from their sources in parallel."""

from concurrent.futures import ThreadPoolExecutor

from sources import read_table

FUEL_SURCHARGE = 1.08
ZONES = ("city", "land", "islands")

with ThreadPoolExecutor(len(ZONES), thread_name_prefix="tables") as pool:
    TABLES = dict(zip(ZONES, pool.map(read_table, ZONES)))


def price(zone, kilos):
    base, per_kilo = TABLES[zone]
    return round(base + per_kilo * kilos, 2)
