# SPDX-License-Identifier: Apache-2.0
"""Reads exchange rates that a bank publishes, with a compiled parser."""

import rates

FEED = """\
USD=1.0842
GBP=0.8571
CHF=0.9634
JPY=163.41
SEK=n/a
NOK=11.42
"""


def table(feed):
    found = {}
    for line in feed.splitlines():
        currency, _, text = line.partition("=")
        found[currency] = rates.parse(text)
    return found


if __name__ == "__main__":
    print(table(FEED))
