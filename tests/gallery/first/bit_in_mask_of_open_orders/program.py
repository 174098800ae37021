# SPDX-License-Identifier: Apache-2.0
"""A shop keeps the numbers of its open orders in a set."""

import json
import os
import uuid


def numbers(count):
    return [uuid.uuid5(uuid.NAMESPACE_DNS, "order-%d" % n).hex for n in range(count)]


def close_orders(orders, some):
    for number in some:
        orders.discard(number)
    return len(orders)


def main():
    some = numbers(900)
    orders = set(some)
    print(close_orders(orders, some[:100]))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(orders) + 32, 33]]}) + "\n")
    input()
    print(close_orders(orders, some[100:]))


main()
