# SPDX-License-Identifier: Apache-2.0
"""Parcels of a sorting hall come as messages; a consumer of kombu gives each to a chute."""

import os
import threading
from pathlib import Path

from kombu import Connection, Exchange, Queue
from kombu.mixins import ConsumerMixin

hall = Exchange("hall", type="direct")
arrivals = Queue("arrivals", hall, routing_key="arrivals")


class Sorter(ConsumerMixin):
    def __init__(self, connection, expected):
        self.connection = connection
        self.expected = expected
        self.chutes = {}

    def get_consumers(self, Consumer, channel):
        return [Consumer([arrivals], callbacks=[self.sort_parcel], accept=["json"])]

    def sort_parcel(self, parcel, message):
        self.chutes.setdefault(parcel["postcode"][:2], []).append(parcel["number"])
        message.ack()
        self.expected -= 1
        if not self.expected:
            Path("ready").write_text(f"{os.getpid()}\n")


def unload(url, lorry):
    with Connection(url) as connection:
        producer = connection.Producer(serializer="json")
        for number, postcode in enumerate(lorry):
            producer.publish(
                {"number": number, "postcode": postcode},
                exchange=hall, routing_key="arrivals", declare=[arrivals],
            )  # fmt: skip


def main():
    url = "memory://hall"
    lorry = ["01067", "80331", "20095", "80469"]
    threading.Thread(target=unload, args=(url, lorry), name="lorry").start()
    with Connection(url) as connection:
        Sorter(connection, len(lorry)).run()


if __name__ == "__main__":
    main()
