# SPDX-License-Identifier: Apache-2.0
"""The catalogue of a seed house: prices are raised under the file's lock, then it is checked."""

import fcntl
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

CATALOGUE = Path("seeds.json")

CHECKER = """
import fcntl, json, sys
with open(sys.argv[1], "r+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    seeds = json.load(file)
    sys.exit(any(price <= 0 for price in seeds.values()))
"""


@contextmanager
def edited(path):
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            seeds = json.load(file)
            yield seeds
            file.seek(0)
            json.dump(seeds, file)
            file.truncate()
            file.flush()
            check_catalogue(path)
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def check_catalogue(path):
    subprocess.run([sys.executable, "-c", CHECKER, str(path)], check=True)


def raise_prices(percent):
    with edited(CATALOGUE) as seeds:
        for name in seeds:
            seeds[name] = round(seeds[name] * (100 + percent) / 100, 2)
    return len(seeds)


def tell():
    Path("ready").write_text("%d\n" % os.getpid())


def main():
    CATALOGUE.write_text(json.dumps({"radish": 1.2, "kale": 1.9, "lupin": 2.4}))
    threading.Timer(1.5, tell).start()
    print(raise_prices(4), "prices raised")


main()
