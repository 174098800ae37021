# SPDX-License-Identifier: Apache-2.0
"""A worker of multiprocessing.Pool was killed in its task; the pool starts another, but the lost
task never returns, and map waits for ever.
"""

import multiprocessing
import os
import signal
import time


def measure(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def main():
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        answer = pool.map_async(measure, range(6), chunksize=1)
        time.sleep(0.5)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        print(answer.get())


main()
