# SPDX-License-Identifier: Apache-2.0
"""The program waits in sqlite3 (timeout 1000 s) for a database that another process holds in an
exclusive transaction.
"""

import os
import sqlite3
import subprocess
import sys

HOLD = """
import sqlite3, time
base = sqlite3.connect("data.db", isolation_level=None)
base.execute("create table if not exists t (x)")
base.execute("begin exclusive")
print("held", flush=True)
time.sleep(100)
"""


def store_reading(base, value):
    base.execute("insert into t values (?)", (value,))


def main():
    holder = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE)
    holder.stdout.readline()
    base = sqlite3.connect("data.db", timeout=1000)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    store_reading(base, 7)


main()
