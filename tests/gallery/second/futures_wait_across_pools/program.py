# SPDX-License-Identifier: Apache-2.0
"""A task of the parsers' pool waits for one of the writers' pool, which waits for another task of
the parsers' pool; each pool has a single thread.
"""

import os
from concurrent.futures import ThreadPoolExecutor

parsers = ThreadPoolExecutor(1, thread_name_prefix="parser")
writers = ThreadPoolExecutor(1, thread_name_prefix="writer")


def normalise(text):
    return text.strip().lower()


def store_document(text):
    return parsers.submit(normalise, text).result()


def parse_document(text):
    return writers.submit(store_document, text).result()


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(parsers.submit(parse_document, " A title ").result())


main()
