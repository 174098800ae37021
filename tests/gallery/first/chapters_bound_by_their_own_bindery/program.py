# SPDX-License-Identifier: Apache-2.0
"""A bindery binds books from chapters, with the same two workers for both."""

import os
import time
from concurrent.futures import ThreadPoolExecutor, wait


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


bindery = ThreadPoolExecutor(2, thread_name_prefix="bindery")


def sew(chapter):
    return chapter


def bind(book):
    time.sleep(0.2)
    sewn, _ = wait([bindery.submit(sew, (book, n)) for n in range(3)])
    return len(sewn)


books = [bindery.submit(bind, n) for n in range(2)]
tell()
print([book.result() for book in books])
