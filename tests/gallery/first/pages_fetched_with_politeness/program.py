# SPDX-License-Identifier: Apache-2.0
"""Fetch the pages of three sites, with a pause between two pages of a site."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait

PAUSE = 30.0
SITES = {
    "library": ["/", "/catalogue", "/hours", "/news"],
    "museum": ["/", "/tickets", "/rooms"],
    "theatre": ["/", "/plays", "/ensemble", "/tickets", "/press"],
}


class Crawler:
    def __init__(self):
        self.pages = {}
        self.lock = threading.Lock()

    def fetch(self, site, path):
        body = "<title>%s %s</title>" % (site, path)
        with self.lock:
            self.pages[site, path] = body

    def crawl(self, site, paths):
        for path in paths:
            self.fetch(site, path)
            time.sleep(PAUSE)
        return len(paths)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    crawler = Crawler()
    threading.Timer(0.5, tell).start()
    with ThreadPoolExecutor(len(SITES), thread_name_prefix="crawl") as pool:
        crawls = [pool.submit(crawler.crawl, site, paths) for site, paths in SITES.items()]
        done, late = wait(crawls, timeout=3600)
        print(len(done), "sites done,", len(late), "late")


main()
