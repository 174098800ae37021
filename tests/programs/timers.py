# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in a timer's thread, beside thread pools with waiting and with idle workers."""

import concurrent.futures
import contextvars
import threading

import deathbed

HELD = threading.Lock()
LOCAL = threading.local()
VARIABLE = contextvars.ContextVar("variable", default=0)


def prepare_worker(value):
    LOCAL.value = value
    deathbed.parked.append(value)


def job(number):
    deathbed.parked.append(number)
    with HELD:
        return number


def in_context(depth):
    VARIABLE.set(depth)
    if depth:
        return contextvars.copy_context().run(in_context, depth - 1)
    return job("context")


def on_time():
    way = deathbed.prepare("raise")
    deathbed.gather(9)
    contextvars.copy_context().run(deathbed.die, way)


def main():
    HELD.acquire()
    executor = concurrent.futures.ThreadPoolExecutor(
        3, thread_name_prefix="pool of threads", initializer=prepare_worker, initargs=("ready",)
    )
    futures = [executor.submit(job, number) for number in range(5)]
    idle = concurrent.futures.ThreadPoolExecutor(2)
    idle.submit(deathbed.parked.append, 1).result()
    results = [idle.submit(in_context, depth) for depth in (3, 4)]
    timer = threading.Timer(0.01, on_time)
    timer.name = "timer"
    timer.start()
    concurrent.futures.wait(futures)
    return results


if __name__ == "__main__":
    main()
