# SPDX-License-Identifier: Apache-2.0
"""Import of customers: lines of an export are tidied up before they go into the table."""

import addresses

LINES = [
    "Harbour Road 7, Leith\n",
    "Mill Lane 12,\tDover   \n",
    "   Station Street 1, York\n",
    "Castle Square 3, Bath\n",
]


def import_lines(lines):
    table = []
    for line in lines:
        street, _, town = addresses.tidy(line).partition(",")
        table.append((town.strip(), street))
    return sorted(table)


print(import_lines(LINES))
