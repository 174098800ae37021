# SPDX-License-Identifier: Apache-2.0
"""A proxy whose connections are counted by a native plugin, which is replaced while it runs."""

import queue
import threading

from plugins import Plugin


class Connection(threading.Thread):
    def __init__(self, plugin, number):
        super().__init__(name="connection-%d" % number)
        self.plugin = plugin
        self.chunks = queue.SimpleQueue()
        self.idle = threading.Event()

    def run(self):
        while (chunk := self.chunks.get()) is not None:
            if self.plugin.add is not None:
                self.plugin.add(len(chunk))
            if self.chunks.empty():
                self.idle.set()

    def close(self):
        self.chunks.put(None)
        self.join()


def main():
    plugin = Plugin("counters")
    connections = [Connection(plugin, number) for number in range(4)]
    for connection in connections:
        connection.start()
        for size in (200, 1400, 60):
            connection.chunks.put(bytes(size))
    for connection in connections:
        connection.idle.wait()
    plugin.unload()
    for connection in connections:
        connection.close()
    print("all closed")


if __name__ == "__main__":
    main()
