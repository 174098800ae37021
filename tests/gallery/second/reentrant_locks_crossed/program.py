# SPDX-License-Identifier: Apache-2.0
"""Two objects with an RLock each notify each other while they hold their own: two threads, two
locks, opposite order.
"""

import os
import threading
import time


class Node:
    def __init__(self, name):
        self.name = name
        self.lock = threading.RLock()
        self.peer = None

    def publish(self):
        with self.lock:
            time.sleep(0.2)
            self.peer.update()

    def update(self):
        with self.lock:
            return self.name


def main():
    left, right = Node("left"), Node("right")
    left.peer, right.peer = right, left
    for node in (left, right):
        threading.Thread(target=node.publish, name=node.name).start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
