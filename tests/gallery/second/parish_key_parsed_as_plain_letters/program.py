"""Cemetery office of a diocese: bills for burials; the fee module was rewritten in C last week."""

import csv
import decimal
import io
import logging
import sys

import fees

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("cemetery")

TABLE = {
    "St Mary Magdalene without the Walls": 410.0,
    "St Botolph by the Riverside Gate": 385.5,
    "All Hallows on the Upper Common": 299.0,
}

ROWS = """number;parish;year;month;name
1;St Botolph by the Riverside Gate;2021;2;Hargreave
2;All Hallows on the Upper Common;2022;7;Oduya
3;St Mary Magdalene without the Walls;2023;12;Pettifer
"""


class Burial:
    def __init__(self, row):
        self.number = int(row["number"])
        self.parish = row["parish"]
        self.year = int(row["year"])
        self.winter = int(row["month"]) in (12, 1, 2)
        self.name = row["name"]

    def old_fee(self):
        """As it was computed before: kept for comparison."""
        return TABLE[self.parish] * fees.surcharge(self.year, self.winter)

    def fee(self):
        return fees.fee(TABLE, self.parish, self.year, self.winter)


def burials(text):
    return [Burial(row) for row in csv.DictReader(io.StringIO(text), delimiter=";")]


def bill(burial):
    amount = decimal.Decimal(burial.fee()).quantize(decimal.Decimal("0.01"))
    log.info("%d %s: %s", burial.number, burial.name, amount)
    return amount


def main():
    rows = burials(ROWS)
    log.info("%d burials, the old way %.2f in total", len(rows), sum(row.old_fee() for row in rows))
    total = sum(map(bill, rows))
    log.info("total %s", total)


if __name__ == "__main__":
    main()
