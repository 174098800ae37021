# SPDX-License-Identifier: Apache-2.0
"""CI agent: runs the builds of a matrix side by side and relays what they print."""

import os
import selectors
import subprocess
import sys
import time

BUILD = """
import hashlib, sys, time
digest = b"seed"
for step in range(600):
    for _ in range(20000):
        digest = hashlib.sha256(digest).digest()
    print("%s: step %d of 600" % (sys.argv[1], step), flush=True)
    time.sleep(3.0)
"""


class Agent:
    """Relays the output of builds until the last has ended."""

    def __init__(self, targets):
        self.selector = selectors.DefaultSelector()
        self.lines = dict.fromkeys(targets, 0)
        self.last_output = {}
        for target in targets:
            build = subprocess.Popen(
                [sys.executable, "-c", BUILD, target], stdout=subprocess.PIPE, bufsize=0
            )
            self.selector.register(build.stdout, selectors.EVENT_READ, (target, build))

    def relay(self, key):
        target, build = key.data
        text = os.read(key.fd, 65536)
        if text:
            self.lines[target] += text.count(b"\n")
            self.last_output[target] = time.monotonic()
            sys.stdout.write(text.decode("utf-8"))
        else:
            self.selector.unregister(key.fileobj)
            build.wait()

    def run(self):
        while self.selector.get_map():
            for key, _ in self.selector.select(timeout=30.0):
                self.relay(key)
            if min(self.lines.values()) and not os.path.exists("ready"):
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    Agent(["linux-x64", "linux-arm", "wasm"]).run()


main()
