# SPDX-License-Identifier: Apache-2.0
"""A payment hub that loads the drivers of its card schemes when they are first needed."""

import os
import threading
import time
from pathlib import Path

import registry


def pay(scheme, cents):
    driver = registry.driver_of(scheme)
    print(scheme, driver.authorise(cents), flush=True)


def warm_up():
    import scheme_nordcard

    print("warm", scheme_nordcard.NAME, flush=True)


def heartbeat():
    while True:
        time.sleep(0.3)
        Path("beat").write_text(str(time.time()))


def settle(stop):
    while not stop.wait(0.6):
        Path("settled").write_text("0")


def main():
    stop = threading.Event()
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    threading.Thread(target=settle, args=(stop,), name="settlement", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    warm = threading.Thread(target=warm_up, name="warm-up")
    warm.start()
    time.sleep(0.4)
    tills = [
        threading.Thread(target=pay, args=("nordcard", 990 + n), name=f"till-{n}") for n in range(2)
    ]
    for till in tills:
        till.start()
    for thread in (warm, *tills):
        thread.join()


if __name__ == "__main__":
    main()
