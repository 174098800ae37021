# SPDX-License-Identifier: Apache-2.0
import collections
import multiprocessing
import os
from multiprocessing import connection

from bench import Bench


def bench_main(name, channel):
    Bench(name, channel).serve()


class Director:
    def __init__(self, groups):
        self.queue = collections.deque(groups)
        self.benches = {}
        self.pending = collections.defaultdict(set)
        self.results = {}

    def start(self, names):
        context = multiprocessing.get_context("fork")
        for name in names:
            near, far = context.Pipe()
            process = context.Process(target=bench_main, args=(name, far), name=name, daemon=True)
            process.start()
            far.close()
            self.benches[near] = process
        for channel in self.benches:
            channel.recv()
            self.assign(channel)

    def assign(self, channel):
        while self.queue and len(self.pending[channel]) < 2:
            group = self.queue.popleft()
            self.pending[channel].update(group)
            channel.send(("run", group))

    def finished(self):
        return not self.queue and not any(self.pending.values())

    def run(self):
        while not self.finished():
            for channel in connection.wait(list(self.benches)):
                kind, (trial, load, last) = channel.recv()
                self.pending[channel].discard(trial)
                self.results[trial] = load, last
                self.assign(channel)
        for channel in self.benches:
            channel.send(("stop", None))
        for process in self.benches.values():
            process.join()


if __name__ == "__main__":
    director = Director([[1, 2, 3], [4, 5], [6, 7, 8, 9], [10]])
    director.start(["bench-a", "bench-b"])
    open("ready", "w").write(f"{os.getpid()}\n")
    director.run()
    print(director.results)
