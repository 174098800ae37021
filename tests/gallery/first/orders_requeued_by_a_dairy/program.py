# SPDX-License-Identifier: Apache-2.0
"""Books the morning's orders of a dairy before its lorries leave."""

import json
import os

from broker import Channel
from consumer import OrderConsumer

ORDERS = [
    {"shop": 3, "articles": {"milk": 12, "curd": 4}},
    {"shop": 9, "articles": {"butter": 2}},
    {"shop": 5, "articles": {"milk": "two dozen"}},
    {"shop": 1, "articles": {"cream": 6}},
]


def main():
    channel = Channel()
    consumer = OrderConsumer(channel)
    consumer.start()
    for order in ORDERS:
        channel.publish(json.dumps(order))
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    channel.wait_settled(len(ORDERS))
    print("crates to load:", consumer.booked)


if __name__ == "__main__":
    main()
