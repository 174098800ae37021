# SPDX-License-Identifier: Apache-2.0
"""A rent ledger with a few pages, served by a pool of threads."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ledger import Ledger
from web import Pages


class Server:
    def __init__(self, pages, threads):
        self.pages = pages
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="request")

    def handle(self, page, *arguments):
        return self.pool.submit(getattr(self.pages, page), *arguments)


def main():
    ledger = Ledger()
    for month in range(36):
        for flat in ("1a", "1b", "2a"):
            ledger.post(flat, 64000 + 500 * (month // 12))
    server = Server(Pages(ledger), threads=4)
    print(server.handle("listing", "meier", "2a").result())
    print(server.handle("more", "meier").result(), flush=True)
    Path("ready").write_text(f"{os.getpid()}\n")
    payments = [
        server.handle("pay", "ruiz", "1a", -64000),
        server.handle("pay", "osei", "1b", -64500),
    ]
    for payment in payments:
        print(payment.result(), flush=True)


if __name__ == "__main__":
    main()
