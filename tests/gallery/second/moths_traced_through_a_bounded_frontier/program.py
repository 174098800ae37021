# SPDX-License-Identifier: Apache-2.0
"""A crawler of a museum's moth catalogue.

The frontier is a bounded queue, so that memory stays flat on a large catalogue. Four spiders take a
path out of it, fetch the record and put what it links to back into the frontier.
"""

import logging
import os
import queue
import threading

import catalogue

SPIDERS = 4
FRONTIER_LIMIT = 32

log = logging.getLogger("mothcrawl")


class Index:
    """What was found, by path."""

    def __init__(self):
        self._guard = threading.Lock()
        self._titles = {}
        self._seen = set()

    def claim(self, path):
        """Return True to the first that asks for a path."""
        with self._guard:
            if path in self._seen:
                return False
            self._seen.add(path)
            return True

    def store(self, record):
        with self._guard:
            self._titles[record.path] = record.title

    def __len__(self):
        with self._guard:
            return len(self._titles)


class Crawl:
    def __init__(self, limit):
        self.frontier = queue.Queue(maxsize=limit)
        self.index = Index()
        self.spiders = [
            threading.Thread(target=self.spin, name=f"spider-{number}", daemon=True)
            for number in range(SPIDERS)
        ]

    def seed(self, paths):
        for path in paths:
            if self.index.claim(path):
                self.frontier.put(path)

    def spin(self):
        while True:
            path = self.frontier.get()
            try:
                record = catalogue.fetch(path)
                self.index.store(record)
                self.follow(record)
            except ValueError:
                log.exception("record %s is not readable", path)
            finally:
                self.frontier.task_done()

    def follow(self, record):
        """Put the record's links into the frontier."""
        for path in catalogue.links(record):
            if self.index.claim(path):
                self.frontier.put(path)

    def run(self):
        for spider in self.spiders:
            spider.start()
        self.frontier.join()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    crawl = Crawl(FRONTIER_LIMIT)
    crawl.seed(f"/moth/{number}" for number in range(8))
    log.info("crawling with %d spiders", SPIDERS)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    crawl.run()
    log.info("%d records", len(crawl.index))


if __name__ == "__main__":
    main()
