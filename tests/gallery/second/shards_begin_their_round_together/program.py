# SPDX-License-Identifier: Apache-2.0
"""Load test: shards in processes of their own and the leader begin each round together."""

import multiprocessing
import os

context = multiprocessing.get_context("fork")
TARGETS = {"shard-0": "/search?q=tea", "shard-1": "/cart"}


def run_shard(name, start, results):
    target = TARGETS[name]
    start.wait()
    results.put((name, len(target)))


def lead_round(start, results, names):
    start.wait()
    return dict(results.get() for _ in names)


def main():
    names = ["shard-0", "shard-1", "shard-2"]
    start = context.Barrier(len(names) + 1)
    results = context.SimpleQueue()
    shards = [
        context.Process(target=run_shard, args=(name, start, results), name=name, daemon=True)
        for name in names
    ]
    for shard in shards:
        shard.start()
    shards[-1].join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(lead_round(start, results, names))


main()
