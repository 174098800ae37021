# SPDX-License-Identifier: Apache-2.0
"""Shards of an index are built in threads; the main thread looks until all are done."""

import os
import threading
import time


class Shard:
    def __init__(self, documents):
        self.documents = documents
        self.mean, self.done = 0, False

    def build(self):
        self.mean = 1000 // self.documents
        self.done = True


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    shards = [Shard(documents) for documents in (20, 7, 0)]
    for shard in shards:
        threading.Thread(target=shard.build).start()
    tell()
    while not all(shard.done for shard in shards):
        time.sleep(0.1)
    print([shard.mean for shard in shards])


main()
