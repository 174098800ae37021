# SPDX-License-Identifier: Apache-2.0
"""Invoice intake: files that appear in the drop folder are booked, then it waits for more."""

import os
import threading
import time
from pathlib import Path

INBOX = Path("inbox")
PAUSE = 60.0


def book(path, ledger):
    number, cents = path.read_text().split()
    ledger[number] = int(cents)
    path.rename(path.with_suffix(".done"))


def sweep(ledger):
    for path in sorted(INBOX.glob("*.inv")):
        book(path, ledger)


def keep_alive(stop):
    while not stop.wait(30):
        Path("alive").touch()


def main():
    INBOX.mkdir(exist_ok=True)
    for number in range(3):
        (INBOX / f"{number}.inv").write_text(f"R-{number} {number * 995}")
    ledger, stop = {}, threading.Event()
    threading.Thread(target=keep_alive, args=(stop,), name="alive", daemon=True).start()
    while True:
        sweep(ledger)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        time.sleep(PAUSE)


main()
