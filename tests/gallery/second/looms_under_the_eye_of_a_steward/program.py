"""Weaving mill: a steward process starts a process per loom and acts when one ends."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading


def weave(name, pattern, counter):
    """Weave for ever; each thread is a step of a linear automaton."""
    state = pattern
    while True:
        for _ in range(2000):
            state = (state << 1 ^ state >> 1 ^ pattern) & (1 << 256) - 1
        with counter.get_lock():
            counter.value += 2000


class Steward:
    def __init__(self):
        self.looms = {}
        self.restarts = 0

    def start(self, name, pattern):
        counter = multiprocessing.Value("q", 0)
        process = multiprocessing.Process(target=weave, args=(name, pattern, counter), name=name)
        process.daemon = True
        process.start()
        self.looms[process.sentinel] = (process, pattern, counter)

    def woven(self):
        return {process.name: counter.value for process, _, counter in self.looms.values()}

    def watch(self):
        while self.looms:
            for sentinel in multiprocessing.connection.wait(list(self.looms)):
                process, pattern, _ = self.looms.pop(sentinel)
                process.join()
                print(process.name, "ended with", process.exitcode, flush=True)
                self.restarts += 1
                self.start(process.name, pattern)


def accident(steward):
    """One loom breaks in the first minute: the steward is there for that."""
    process = next(iter(steward.looms.values()))[0]
    os.kill(process.pid, signal.SIGTERM)
    while not steward.restarts:
        threading.Event().wait(0.05)
    threading.Event().wait(1.0)
    print("woven:", steward.woven(), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    steward = Steward()
    for name, pattern in (("twill", 0b1011), ("satin", 0b1100101)):
        steward.start(name, pattern)
    threading.Thread(target=accident, args=(steward,), daemon=True).start()
    steward.watch()
    return 1


if __name__ == "__main__":
    sys.exit(main())
