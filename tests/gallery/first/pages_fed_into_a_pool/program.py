# SPDX-License-Identifier: Apache-2.0
"""Print shop: pages are fed to a pool while it renders, and printed in their order."""

import os
import queue
from multiprocessing.pool import ThreadPool


def render(page):
    return f"page {page}: {page * page % 97:02}"


class PrintShop:
    def __init__(self, pool):
        self.pages = queue.Queue()
        self.sheets = pool.imap(render, iter(self.pages.get, None))

    def feed(self, pages):
        for page in pages:
            self.pages.put(page)

    def print_sheets(self):
        return [sheet.upper() for sheet in self.sheets]

    def close(self):
        self.pages.put(None)


def main():
    with ThreadPool(3) as pool:
        shop = PrintShop(pool)
        shop.feed(range(12))
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        printed = shop.print_sheets()
        shop.close()
    print(printed)


main()
