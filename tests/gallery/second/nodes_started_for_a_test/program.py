# SPDX-License-Identifier: Apache-2.0
"""Bring up a small cluster for a test of its election."""

import concurrent.futures
import os
import re
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass
class Node:
    name: str
    port: int
    address: str = ""


class Starter:
    """Starts nodes by the script that the packagers ship."""

    SAYS = re.compile(r"(\S+) listens on (\d+)")

    def __init__(self, script):
        self.script = script

    def start(self, node):
        done = subprocess.run(
            ["/bin/sh", str(self.script), node.name, str(node.port)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found = self.SAYS.search(done.stdout)
        node.address = f"localhost:{found[2]}"
        return node


class Cluster:
    def __init__(self, size):
        self.nodes = [Node(f"node{number}", 7100 + number) for number in range(size)]
        self.up = []
        self._changed = threading.Condition()

    def joined(self, future):
        with self._changed:
            self.up.append(future.result())
            self._changed.notify_all()

    def quorum(self):
        with self._changed:
            self._changed.wait_for(lambda: len(self.up) * 2 > len(self.nodes))


def watch():
    time.sleep(1.2)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    threading.Thread(target=watch, daemon=True).start()
    starter = Starter(HERE / "node.sh")
    cluster = Cluster(3)
    with concurrent.futures.ThreadPoolExecutor(3, "starter") as pool:
        for node in cluster.nodes:
            pool.submit(starter.start, node).add_done_callback(cluster.joined)
        cluster.quorum()
    print([node.address for node in cluster.up])


if __name__ == "__main__":
    main()
