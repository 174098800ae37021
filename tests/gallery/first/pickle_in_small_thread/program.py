# SPDX-License-Identifier: Apache-2.0
"""A worker with a small stack pickles a deep structure; the C pickler recurses past the end of
the stack.
"""

import pickle
import sys
import threading


def deep(count):
    node = None
    for _ in range(count):
        node = [node, 1]
    return node


def store(node):
    return len(pickle.dumps(node))


def main():
    sys.setrecursionlimit(200_000)
    threading.stack_size(128 * 1024)
    thread = threading.Thread(target=store, args=(deep(2500),), name="saver")
    thread.start()
    thread.join()


main()
