# SPDX-License-Identifier: Apache-2.0
"""Orders are worked on by two threads; prices come from a loop of its own, every few minutes."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def ask_price(item):
    await asyncio.sleep(300)
    return len(item)


def work(loop, item):
    return asyncio.run_coroutine_threadsafe(ask_price(item), loop).result()


def main():
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="prices", daemon=True).start()
    with ThreadPoolExecutor(2, thread_name_prefix="orders") as pool:
        jobs = [pool.submit(work, loop, item) for item in ("oak", "elm", "ash", "yew")]
        tell()
        print(sum(job.result() for job in jobs))


main()
