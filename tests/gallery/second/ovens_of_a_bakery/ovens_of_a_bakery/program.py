# SPDX-License-Identifier: Apache-2.0
"""Dough is kneaded in one stage and baked in the next; after the last batch the ovens close."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

kneading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kneading")
baking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="baking")
oven_is_hot = threading.Event()
orders_are_in = threading.Event()


def knead(kilos):
    return {"kilos": kilos, "rest": kilos * 0.6}


def bake(kilos):
    oven_is_hot.set()
    dough = kneading.submit(knead, kilos).result()
    return round(dough["kilos"] * 1.35)


def finish_day(batches):
    orders_are_in.wait()
    oven_is_hot.wait()
    total = sum(batches)
    baking.shutdown(wait=True)
    return total


def main():
    batches = [12, 30, 18]
    end = kneading.submit(finish_day, batches)
    loaves = [baking.submit(bake, kilos) for kilos in batches]
    orders_are_in.set()
    Path("ready").write_text(f"{os.getpid()}\n")
    print("kilos:", end.result())
    print("loaves:", sum(loaf.result() for loaf in loaves))


if __name__ == "__main__":
    main()
