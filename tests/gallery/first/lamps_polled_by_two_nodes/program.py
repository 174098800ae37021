# SPDX-License-Identifier: Apache-2.0
"""Two nodes start each when the other one is ready."""

import os
import threading
import time


class Node:
    def __init__(self):
        self.ready = False
        self.peer = None

    def run(self):
        while not self.peer.ready:
            time.sleep(0.1)
        self.ready = True


left, right = Node(), Node()
left.peer, right.peer = right, left
threads = [threading.Thread(target=node.run) for node in (left, right)]
for thread in threads:
    thread.start()
time.sleep(0.3)
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
for thread in threads:
    thread.join()
