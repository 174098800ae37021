# SPDX-License-Identifier: Apache-2.0
"""An error report calls repr() of a deep tree in a worker with a small stack; repr recurses in
C.
"""

import sys
import threading


def report(tree):
    return len(repr(tree))


def main():
    sys.setrecursionlimit(100_000)
    tree = ()
    for _ in range(3000):
        tree = (tree,)
    threading.stack_size(96 * 1024)
    thread = threading.Thread(target=report, args=(tree,), name="reporter")
    thread.start()
    thread.join()


main()
