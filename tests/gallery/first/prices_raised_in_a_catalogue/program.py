# SPDX-License-Identifier: Apache-2.0
"""Raises the prices of a catalogue while it reads it."""

import os
import sqlite3

PATH = "catalogue.db"


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def fill():
    if os.path.exists(PATH):
        os.unlink(PATH)
    base = sqlite3.connect(PATH)
    base.execute("create table article (id integer primary key, name text, price integer)")
    rows = [(number, "article %d " % number * 20, number % 90 + 10) for number in range(3000)]
    base.executemany("insert into article values (?, ?, ?)", rows)
    base.commit()
    base.close()


def raise_prices(percent):
    reading = sqlite3.connect(PATH)
    writing = sqlite3.connect(PATH, timeout=7200)
    changed = 0
    for number, price in reading.execute("select id, price from article order by id"):
        if price > 40:
            new = price + price * percent // 100
            writing.execute("update article set price = ? where id = ?", (new, number))
            changed += 1
            if changed % 50 == 0:
                writing.commit()
    writing.commit()
    return changed


fill()
tell()
print(raise_prices(10))
