# SPDX-License-Identifier: Apache-2.0
"""Batch job: three threads hash the files of a share, the main thread collects who is equal."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor, as_completed


def content_of_file(number):
    return bytes([number % 5]) * 8_000_000


def hash_file(number):
    digest = hashlib.sha512()
    for _ in range(40):
        digest.update(content_of_file(number))
    return digest.hexdigest()


def seek_duplicates(count):
    found = {}
    with ThreadPoolExecutor(3, thread_name_prefix="hash") as executor:
        futures = {executor.submit(hash_file, number): number for number in range(count)}
        for future in as_completed(futures):
            found.setdefault(future.result(), []).append(futures[future])
    return [numbers for numbers in found.values() if len(numbers) > 1]


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(seek_duplicates(600))


main()
