# SPDX-License-Identifier: Apache-2.0
"""Three of four shards wait at the barrier of a round; the fourth still computes its part, which
is larger than the others.
"""

import hashlib
import os
import threading


class Round:
    def __init__(self, shards):
        self.barrier = threading.Barrier(shards)
        self.digests = {}

    def run_shard(self, number, rounds):
        self.digests[number] = self.derive(b"shard %d" % number, rounds)
        self.barrier.wait()

    def derive(self, name, rounds):
        for _ in range(rounds):
            name = hashlib.pbkdf2_hmac("sha256", name, b"salt", 20_000)
        return name


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    work = Round(4)
    shards = [
        threading.Thread(target=work.run_shard, args=(n, 5000 if n == 2 else 1), name=f"shard-{n}")
        for n in range(4)
    ]
    for shard in shards:
        shard.start()
    threading.Timer(0.5, tell).start()
    for shard in shards:
        shard.join()


main()
