# SPDX-License-Identifier: Apache-2.0
"""A worker thread has the smallest stack that there is, and formats an ordinary nested list."""

import threading

menu = []
for number in range(400):
    menu = [number, menu]


def show():
    return len(repr(menu))


threading.stack_size(32 * 1024)
worker = threading.Thread(target=show, name="menu")
worker.start()
worker.join()
