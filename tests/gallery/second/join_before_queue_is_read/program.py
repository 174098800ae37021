# SPDX-License-Identifier: Apache-2.0
"""The parent joins a child process whose queue feeder cannot write any more because nobody reads
the pipe (documented for multiprocessing.Queue).
"""

import multiprocessing
import os
import threading
import time


def compute(queue):
    queue.put("x" * 5_000_000)


def tell():
    time.sleep(0.6)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=compute, args=(queue,))
    child.start()
    threading.Thread(target=tell).start()
    child.join()
    print(len(queue.get()))


main()
