# SPDX-License-Identifier: Apache-2.0
"""A wine merchant's stock is kept by a manager process; clerks are processes that change it under a lock."""  # noqa: E501

import multiprocessing
import os
import threading

from stocktaking import Cellar, take_out


def clerk(cellar, orders, finished):
    """Serve orders until there are none."""
    for wine, bottles in orders:
        take_out(cellar, wine, bottles)
    finished.set()


def careless_clerk(cellar, wine, inside):
    """A native label printer aborts its process while the clerk is in the cellar."""
    cellar.key.acquire()
    cellar.stock[wine] = cellar.stock[wine] - 1
    inside.set()
    os._exit(139)


def start(context, function, *arguments):
    process = context.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def close_the_day(cellar):
    """The owner counts what is left; nobody may change it meanwhile."""
    print("closing the day", flush=True)
    cellar.key.acquire()
    try:
        left = sum(cellar.stock.values())
    finally:
        cellar.key.release()
    print("bottles left:", left, flush=True)


def main():
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        stock = manager.dict({"Riesling": 120, "Silvaner": 80, "Trollinger": 44})
        cellar = Cellar(manager.Lock(), stock)
        first, second = context.Event(), context.Event()
        good = start(context, clerk, cellar, [("Riesling", 6), ("Silvaner", 2)], first)
        first.wait()
        good.join()
        print("after the first clerk:", dict(cellar.stock), flush=True)
        bad = start(context, careless_clerk, cellar, "Trollinger", second)
        second.wait()
        bad.join()
        print("a clerk ended with", bad.exitcode, flush=True)

        def ready():
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())

        threading.Timer(1.5, ready).start()
        close_the_day(cellar)


if __name__ == "__main__":
    main()
