# SPDX-License-Identifier: Apache-2.0
"""A thread pool whose workers wait for tasks, in a main thread that waits for a signal: an idle
service that somebody ended with SIGABRT.
"""

import concurrent.futures
import os
import signal


def handle(number):
    return number * 2


def main():
    pool = concurrent.futures.ThreadPoolExecutor(4)
    print(sum(pool.map(handle, range(100))))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    signal.sigwait({signal.SIGTERM})


main()
