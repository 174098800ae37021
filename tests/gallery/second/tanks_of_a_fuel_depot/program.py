# SPDX-License-Identifier: Apache-2.0
"""Keeps the gauges of a fuel depot's tanks, each in a process of its own."""

import logging
import os
import threading
from pathlib import Path

from supervisor import Supervisor


def gauge(tank, channel):
    channel.send({"tank": tank, "litres": 41000})
    while True:
        question = channel.recv()
        channel.send({"tank": tank, "answer": question})


def main():
    logging.basicConfig(level=logging.INFO)
    supervisor = Supervisor()
    for tank in ("diesel-1", "diesel-2", "paraffin"):
        supervisor.add(tank, gauge)
    threading.Timer(0.6, Path("ready").write_text, [f"{os.getpid()}\n"]).start()
    supervisor.run()


if __name__ == "__main__":
    main()
