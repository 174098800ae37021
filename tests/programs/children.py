# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "children-fork", "arguments": ["fork"], "child": true}
# corpus: {"name": "children-spawn", "arguments": ["spawn"], "child": true}
# corpus: {"name": "children-server", "arguments": ["forkserver"], "child": true}
"""Die in a process that multiprocessing started: by fork, by spawn, by a server."""

import multiprocessing
import sys

import deathbed


def doomed(value):
    deathbed.gather(0)
    die(value, deathbed.prepare("raise"))


def die(value, way):
    deathbed.die(way, facts={"process": multiprocessing.current_process().name})


def by_process(kind):
    context = multiprocessing.get_context(kind)
    child = context.Process(target=doomed, args=([1],), name="dömed")
    child.start()
    child.join()
    assert child.exitcode < 0


if __name__ == "__main__":
    by_process(sys.argv[2])
