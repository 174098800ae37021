# SPDX-License-Identifier: Apache-2.0
"""__getattr__ asks for another attribute of the same object; with a raised recursion limit and a
small thread stack the C stack ends first.
"""

import sys
import threading


class Proxy:
    def __getattr__(self, name):
        return getattr(self, name + "_")


def resolve():
    return Proxy().target


def main():
    sys.setrecursionlimit(1_000_000)
    threading.stack_size(192 * 1024)
    thread = threading.Thread(target=resolve)
    thread.start()
    thread.join()


main()
