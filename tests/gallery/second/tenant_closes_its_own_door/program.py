# SPDX-License-Identifier: Apache-2.0
"""A host that runs the scripts of its tenants, each in an interpreter of its own."""

import os

import host

FOLDER = os.path.dirname(os.path.abspath(__file__))
SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import host

def bill(orders):
    return sum(cents * pieces for cents, pieces in orders)

total = bill([(n * 10, n % 4) for n in range(200)])
print("tenant", {number}, total, flush=True)
if total > {budget}:
    host.close({number})
"""


def main():
    for number, budget in enumerate([900000, 900000, 1000]):
        print("opened", number, flush=True)
        host.open(number, SCRIPT.format(folder=FOLDER, number=number, budget=budget))
    print("all opened")


main()
