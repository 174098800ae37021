# SPDX-License-Identifier: Apache-2.0
"""Sum up the declared values of the parcels of a customs list."""

import csv
import io

import customs

LIST = """number,content,value
1041,books,35.5
1042,"ceramics, two pieces",120
1043,documents,none
1044,coffee,18.25
"""


def declared(text):
    """Return a declared value as a number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def read(lines):
    return [(row["number"], declared(row["value"])) for row in csv.DictReader(lines)]


def duty(parcels, rate):
    total = customs.total([value for _, value in parcels])
    return round(total * rate, 2)


print(duty(read(io.StringIO(LIST)), 0.19))
