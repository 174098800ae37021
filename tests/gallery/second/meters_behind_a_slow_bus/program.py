# SPDX-License-Identifier: Apache-2.0
"""Meters of a heating plant are shown to Prometheus; each report is made by a process."""

import os
import threading
import time
from pathlib import Path

from prometheus_client import REGISTRY, Counter
from prometheus_client.core import GaugeMetricFamily


class BusOfMeters:
    """Asks the meters on the bus; the first round trip takes a while."""

    def __init__(self, addresses):
        self.addresses = addresses
        self.first_asked = threading.Event()

    def ask(self, address):
        self.first_asked.set()
        time.sleep(0.4)
        return 60.0 + address % 7

    def collect(self):
        family = GaugeMetricFamily("flow_temperature", "degrees", labels=["meter"])
        for address in self.addresses:
            family.add_metric([str(address)], self.ask(address))
        yield family


def write_report(quarter):
    pages = Counter("report_pages", "Pages of the report")
    for page in range(quarter * 3):
        Path(f"page-{page}.txt").write_text(f"quarter {quarter}, page {page}\n")
        pages.inc()


def main():
    bus = BusOfMeters(range(16, 22))
    threading.Thread(target=REGISTRY.register, args=(bus,), name="connect-bus").start()
    bus.first_asked.wait()
    child = os.fork()
    if child == 0:
        Path("ready").write_text(f"{os.getpid()}\n")
        write_report(quarter=2)
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
