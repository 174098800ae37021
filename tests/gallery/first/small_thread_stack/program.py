# SPDX-License-Identifier: Apache-2.0
"""A worker thread with a stack of 128 KiB compares a nested structure; the comparison recurses
in C and runs off the stack of the thread.
"""

import sys
import threading


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def same(left, right):
    return left == right


def worker():
    sys.setrecursionlimit(100_000)
    print(same(nested(4000), nested(4000)))


def main():
    threading.stack_size(128 * 1024)
    thread = threading.Thread(target=worker, name="comparer")
    thread.start()
    thread.join()


main()
