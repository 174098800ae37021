# SPDX-License-Identifier: Apache-2.0
"""Scans the parcels of a lorry and waits until all of them are told."""

import os

from depot import Depot, MemoryBroker
from producer import Producer

LORRY = ["P-1180", "P-1181", "P-1183", "P-1190", "P-1207"]


def main():
    broker = MemoryBroker()
    producer = Producer(broker)
    depot = Depot(producer)
    for gate, parcel in enumerate(LORRY, 1):
        depot.scanned(parcel, gate)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    producer.flush()
    print(depot.confirmed, "parcels confirmed", dict(broker.topics))


if __name__ == "__main__":
    main()
