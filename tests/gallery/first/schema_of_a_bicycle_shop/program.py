# SPDX-License-Identifier: Apache-2.0
"""Starts the service of a bicycle shop: first the schema, then the counter."""

import os
import threading
from pathlib import Path

from migrate import DATABASE, Migrator


class Shop:
    def __init__(self, database):
        self.database = database
        self.opened = threading.Event()

    def counter(self):
        self.opened.wait()
        print("open", flush=True)


def main():
    DATABASE.unlink(missing_ok=True)
    shop = Shop(DATABASE)
    for number in (1, 2):
        threading.Thread(target=shop.counter, name=f"counter-{number}", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    Migrator(DATABASE).upgrade()
    shop.opened.set()


if __name__ == "__main__":
    main()
