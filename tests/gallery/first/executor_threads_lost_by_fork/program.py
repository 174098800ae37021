# SPDX-License-Identifier: Apache-2.0
"""A forked worker uses the thread pool that its parent had filled with threads: in the child
these threads do not exist, and nobody takes the job.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor


class Resizer:
    def __init__(self):
        self.executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="resize")

    def resize(self, picture):
        time.sleep(0.05)
        return picture // 2

    def resize_all(self, pictures):
        jobs = [self.executor.submit(self.resize, picture) for picture in pictures]
        return [job.result() for job in jobs]


def serve_upload(resizer, pictures):
    return resizer.resize_all(pictures)


def run_child(resizer):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(serve_upload(resizer, [640, 800]))


def main():
    resizer = Resizer()
    print(resizer.resize_all([100, 200, 300]), flush=True)  # the parent warms the pool up
    time.sleep(0.2)
    child = os.fork()
    if not child:
        run_child(resizer)
        os._exit(0)
    os.waitpid(child, 0)


main()
