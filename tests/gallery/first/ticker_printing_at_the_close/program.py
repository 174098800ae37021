# SPDX-License-Identifier: Apache-2.0
"""A ticker prints prices to a pager that is slow; the program ends meanwhile."""

import atexit
import os
import subprocess
import sys
import threading
import time

PAGER = "import os, time\nwhile os.read(0, 65536): time.sleep(0.3)"

pager = subprocess.Popen([sys.executable, "-c", PAGER], stdin=subprocess.PIPE)
os.dup2(pager.stdin.fileno(), 1)


def say_goodbye():
    time.sleep(0.05)
    print("closed", file=sys.stderr)


def tell_prices(symbols):
    while True:
        for symbol in symbols:
            sys.stdout.buffer.write(symbol * 10000)


def main():
    ticker = threading.Thread(
        target=tell_prices, args=([b"ACME 12.5 ", b"BOLT 7.25 "],), daemon=True
    )
    ticker.start()
    atexit.register(say_goodbye)
    time.sleep(0.9)


main()
