# SPDX-License-Identifier: Apache-2.0
"""Bills calls by the tariff that their line has; stops at once where the books do not agree."""

import json
import os
import sys
import traceback

TEXT = 40 if sys.version_info >= (3, 12) else 48


class Billing:
    def __init__(self, zones):
        self.rates = {}
        for zone in range(zones):
            self.rates["-".join(("tariff", "abroad", f"zone{zone:03}"))] = 9 + zone
        self.cents = 0

    def bill(self, zone, minutes):
        name = "-".join(("tariff", "abroad", f"zone{zone:03}"))
        self.cents += self.rates[name] * minutes
        return self.cents


def bill_all(billing, calls):
    for zone, minutes in calls:
        try:
            billing.bill(zone, minutes)
        except KeyError:
            traceback.print_exc()
            os.abort()  # never send bills from books that do not agree


def main():
    billing = Billing(120)
    calls = [(n * 7 % 120, 1 + n % 9) for n in range(3000)]
    bill_all(billing, calls)
    print(billing.cents, flush=True)
    name = list(billing.rates)[77]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(name) + TEXT + 8, 12]]}) + "\n")
    input()
    bill_all(billing, calls)
    print(billing.cents)


main()
