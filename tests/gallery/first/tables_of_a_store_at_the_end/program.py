# SPDX-License-Identifier: Apache-2.0
"""A store of measurements with its tables, open for as long as the program goes on."""

import store

STORE = store.open(1 << 20)
TABLES = {name: store.table(STORE, name) for name in ("wind", "rain", "sun", "snow")}


def note(name, values):
    table = TABLES[name]
    for value in values:
        store.append(table, value)
    return store.count(table)


def main():
    for hour in range(24):
        note("wind", [hour, hour + 1])
        note("rain", [hour * 3 % 7])
        note("sun", range(hour % 5))
    print({name: store.count(table) for name, table in TABLES.items()}, flush=True)


main()
