# SPDX-License-Identifier: Apache-2.0
"""A small web shop with a page of metrics, which a monitoring host scrapes."""

import collections
import logging
import random
import threading
import time
from dataclasses import dataclass

import metricspage

log = logging.getLogger("shop")


@dataclass(frozen=True)
class Series:
    name: str
    labels: tuple

    def label_text(self):
        return ",".join(f'{key}="{value}"' for key, value in self.labels)


class Registry:
    """All counters of the shop."""

    def __init__(self):
        self.guard = threading.Lock()
        self.values = collections.Counter()

    def count(self, name, amount=1.0, **labels):
        with self.guard:
            self.values[Series(name, tuple(sorted(labels.items())))] += amount

    def snapshot(self):
        with self.guard:
            return list(self.values.items())


class Scrape:
    """Renders the registry for the monitoring host."""

    def __init__(self, registry):
        self.registry = registry
        self.scrapes = 0
        self.bytes = 0

    def render(self):
        metricspage.begin()
        for series, value in self.registry.snapshot():
            metricspage.add(series.name, series.label_text(), value)
        self.bytes += metricspage.flush()
        self.scrapes += 1


class Customers(threading.Thread):
    """Customers look at pages and buy; each route is a label."""

    ROUTES = ("/", "/basket", "/checkout", "/help")

    def __init__(self, registry, seed):
        super().__init__(name=f"customers-{seed}", daemon=True)
        self.registry = registry
        self.chance = random.Random(seed)

    def run(self):
        while True:
            if self.chance.random() < 0.2:
                route = f"/article/{self.chance.randrange(4000)}"
            else:
                route = self.chance.choice(self.ROUTES)
            status = self.chance.choice(("200", "200", "200", "404"))
            self.registry.count("shop_requests_total", route=route, status=status)
            time.sleep(0.01)


class Stock(threading.Thread):
    def __init__(self, registry):
        super().__init__(name="stock", daemon=True)
        self.registry = registry

    def run(self):
        while True:
            self.registry.count("shop_deliveries_total", supplier="mill")
            time.sleep(0.3)


def main():
    logging.basicConfig(level=logging.INFO)
    registry = Registry()
    for seed in (3, 4):
        Customers(registry, seed).start()
    Stock(registry).start()
    scrape = Scrape(registry)
    while True:
        scrape.render()
        log.info("scrape %d, %d bytes", scrape.scrapes, scrape.bytes)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
