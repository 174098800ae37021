# SPDX-License-Identifier: Apache-2.0
from gevent import monkey

monkey.patch_all()

import logging  # noqa: E402
import os  # noqa: E402
from collections import Counter  # noqa: E402

import gevent  # noqa: E402
from gevent.pool import Pool  # noqa: E402

SITE = {
    "/": ["/halls", "/shop", "/visit"],
    "/halls": ["/halls/1", "/halls/2", "/halls/3", "/halls/4"],
    "/shop": ["/shop/cards", "/shop/books", "/shop/toys"],
    "/visit": ["/visit/hours", "/visit/map", "/visit/groups"],
}


class Crawler:
    """Walks through a site with a bounded number of greenlets."""

    def __init__(self, size):
        self.pool = Pool(size)
        self.seen = set()
        self.by_depth = Counter()

    def crawl(self, path="/", depth=0):
        self.by_depth[depth] += 1
        gevent.sleep(0.01)  # the museum answers
        for link in SITE.get(path, ()):
            if link not in self.seen:
                self.seen.add(link)
                self.pool.spawn(self.crawl, link, depth + 1)

    def run(self):
        self.pool.spawn(self.crawl)
        self.pool.join()


def report(crawler):
    while True:
        gevent.sleep(30)
        logging.info("seen %d pages: %s", len(crawler.seen), dict(crawler.by_depth))


def main():
    logging.basicConfig(level=logging.INFO)
    crawler = Crawler(size=3)
    gevent.spawn(report, crawler)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    crawler.run()
    print(sorted(crawler.seen))


if __name__ == "__main__":
    main()
