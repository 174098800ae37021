# SPDX-License-Identifier: Apache-2.0
"""Mirrors of a package archive are walked by greenlets of one pool; a meter tells the rate."""

import os

import gevent
from gevent.pool import Pool

TREE = {
    "/": ["/pool", "/dists"],
    "/pool": ["/pool/main", "/pool/extra"],
    "/dists": ["/dists/stable", "/dists/testing"],
}


class Meter:
    def __init__(self):
        self.listed = 0
        self.told = 0

    def tell(self):
        while True:
            gevent.sleep(20)
            self.told += 1
            print("listed so far", self.listed, flush=True)


class Crawler:
    def __init__(self, mirrors, meter):
        self.mirrors = mirrors
        self.meter = meter
        self.pool = Pool(2)
        self.found = []

    def listing(self, mirror, folder):
        gevent.sleep(0.01)
        self.meter.listed += 1
        return TREE.get(folder, [])

    def walk(self, mirror, folder):
        below = self.listing(mirror, folder)
        self.found.append((mirror, folder))
        jobs = [self.pool.spawn(self.walk, mirror, each) for each in below]
        for job in jobs:
            job.get()
        return len(below)

    def run(self):
        roots = [self.pool.spawn(self.walk, mirror, "/") for mirror in self.mirrors]
        return [root.get() for root in roots]


def main():
    meter = Meter()
    gevent.spawn(meter.tell)
    crawler = Crawler(["north.example", "south.example"], meter)

    def ready():
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")

    gevent.spawn_later(0.5, ready)
    print("folders", crawler.run(), len(crawler.found), flush=True)


main()
