# SPDX-License-Identifier: Apache-2.0
"""A customs office seals containers. The text of each seal is made by an extension; a manifest of
each train is written for the next office."""

import collections
import logging
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sealer

log = logging.getLogger("customs")
Container = collections.namedtuple("Container", "owner serial goods")
OWNERS = ("MSKU", "HLXU", "TCLU", "OOLU")
GOODS = ("coffee", "tyres", "rice", "timber", "toys")


def train(number, wagons):
    """Return the containers of a train."""
    for wagon in range(wagons):
        serial = (number * 7919 + wagon * 104729) % 1_000_000
        yield Container(OWNERS[wagon % 4], f"{serial:06d}", GOODS[(wagon + number) % 5])


class Office:
    def __init__(self, date):
        self.date = date
        self.seals = {}
        self.goods = collections.Counter()

    def number_of(self, container):
        """Return the number as it is painted: owner, serial, check digit and office."""
        body = container.owner + container.serial
        return f"{body}{sealer.digit(body)}-DE7"

    def seal(self, container):
        number = self.number_of(container)
        self.seals[number] = sealer.seal(number, self.date)
        self.goods[container.goods] += 1

    def manifest(self):
        """Return a line for each seal."""
        return "\n".join(
            f"{index:05d} {number} {seal.decode('ascii')}"
            for index, (number, seal) in enumerate(sorted(self.seals.items()))
        )

    def close_day(self):
        text = self.manifest()
        log.info("manifest of %d characters", len(text))
        with open("manifest.txt", "w") as file:
            file.write(text)


def main():
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    office = Office("20261130")
    for number in range(40):
        for container in train(number, 60):
            office.seal(container)
        log.info("train %d sealed", number)
    log.info("goods: %s", dict(office.goods))
    office.close_day()
    return 0


if __name__ == "__main__":
    sys.exit(main())
