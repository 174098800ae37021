# SPDX-License-Identifier: Apache-2.0
"""Tasks of a thread pool of two submit further tasks to the same pool and wait for them; all
workers wait and none is left to run them.
"""

import concurrent.futures
import os
import time

POOL = concurrent.futures.ThreadPoolExecutor(2)


def render_part(number):
    return number


def render_page(number):
    time.sleep(0.1)
    return POOL.submit(render_part, number).result()


def main():
    pages = [POOL.submit(render_page, n) for n in range(2)]
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print([page.result() for page in pages])


main()
