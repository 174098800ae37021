# SPDX-License-Identifier: Apache-2.0
"""A program waits for an SQLite database that another process writes."""

import os
import sqlite3
import time

sqlite3.connect("orders").execute("CREATE TABLE orders (number)").connection.close()
reading, writing = os.pipe()
if os.fork() == 0:
    own = sqlite3.connect("orders")
    own.execute("BEGIN EXCLUSIVE")
    os.write(writing, b"x")
    time.sleep(3600)
    own.commit()
    os._exit(0)
os.read(reading, 1)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def write(number):
    connection = sqlite3.connect("orders", timeout=3000)
    ready()
    connection.execute("INSERT INTO orders VALUES (?)", (number,))
    connection.commit()


write(1)
