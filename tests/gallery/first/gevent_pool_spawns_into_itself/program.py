# SPDX-License-Identifier: Apache-2.0
"""A crawler's page jobs put the jobs of their pictures into the same gevent pool and wait for them;
all places are taken by pages, none is left for a picture. A status server keeps the hub alive."""

import os

import gevent
from gevent.pool import Pool
from gevent.server import StreamServer


class Crawler:
    def __init__(self, places):
        self.pool = Pool(places)

    def fetch_picture(self, name):
        gevent.sleep(0.01)
        return len(name)

    def fetch_page(self, name):
        gevent.sleep(0.05)
        pictures = [self.pool.spawn(self.fetch_picture, f"{name}/{n}.png") for n in range(3)]
        return sum(each.get() for each in pictures)

    def crawl(self, names):
        return sum(self.pool.map(self.fetch_page, names))


def status(connection, address):
    connection.sendall(b"crawling\n")
    connection.close()


def main():
    StreamServer(("127.0.0.1", 0), status).start()
    gevent.spawn_later(0.5, tell)
    print(Crawler(4).crawl(["news", "sport", "weather", "arts"]))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
