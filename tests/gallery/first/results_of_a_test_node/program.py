# SPDX-License-Identifier: Apache-2.0
"""Collects the results of a test node; a thread reads what the node prints."""

import os
import queue
import subprocess
import sys
import threading

NODE = """
import threading
print("test_one passed", flush=True)
lock = threading.Lock()
lock.acquire()
lock.acquire()
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Node:
    def __init__(self):
        self.events = queue.Queue()
        node = [sys.executable, "-c", NODE]
        self.process = subprocess.Popen(node, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.receive, daemon=True, name="receiver").start()

    def receive(self):
        for line in self.process.stdout:
            self.events.put(line.split())
        self.events.put(None)

    def results(self):
        for event in iter(self.events.get, None):
            if event[0] == "test_one":
                tell()
            yield event


def main():
    for name, result in Node().results():
        print(name, result)


main()
