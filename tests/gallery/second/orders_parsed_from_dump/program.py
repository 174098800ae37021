# SPDX-License-Identifier: Apache-2.0
"""Import job: parses a dump of orders, one JSON text a line, and sums up the turnover by month."""

import collections
import json
import os


def make_dump(count):
    return [
        json.dumps(
            {
                "id": number,
                "day": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}",
                "lines": [{"sku": f"S{n}", "cents": 100 + n} for n in range(number % 9)],
            }
        )
        for number in range(count)
    ]


def turnover_of_order(text):
    order = json.loads(text)
    return order["day"][:7], sum(line["cents"] for line in order["lines"])


def import_dump(dump, months):
    for text in dump:
        month, cents = turnover_of_order(text)
        months[month] += cents


def main():
    dump, months = make_dump(3000), collections.Counter()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for day in range(3650):
        import_dump(dump, months)
        print(day, sum(months.values()), flush=True)


main()
