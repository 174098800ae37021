# SPDX-License-Identifier: Apache-2.0
"""An apiary's office. The scales' thread stores weights and refreshes the cache of hives within the
transaction; the keeper's console writes notes while it holds the cache."""

import contextlib
import os
import random
import sys
import threading

import apiary


class Scales(threading.Thread):
    """Stores a round of weights, then shows them in the cache, all or nothing."""

    def __init__(self, cache, rounds, meeting):
        super().__init__(name="scales")
        self.cache, self.rounds, self.meeting = cache, rounds, meeting

    def run(self):
        dice = random.Random(12)
        with contextlib.closing(apiary.connect()) as connection:
            for number in range(self.rounds):
                weights = {f"hive-{hive:02d}": dice.gauss(35, 4) for hive in range(12)}
                self.store(connection, weights, last=number == self.rounds - 1)

    def store(self, connection, weights, last):
        connection.execute("begin immediate")
        try:
            connection.executemany(
                "update hive set weight = ? where name = ?",
                [(weight, name) for name, weight in weights.items()],
            )
            if last:
                self.meeting.wait()
            with self.cache.lock:
                self.cache.weights.update(weights)
            connection.execute("commit")
        except BaseException:
            connection.execute("rollback")
            raise


class Console(threading.Thread):
    """The bee-keeper writes a note to each hive that has become light."""

    def __init__(self, cache, meeting):
        super().__init__(name="console")
        self.cache, self.meeting = cache, meeting
        self.noted = 0

    def run(self):
        with contextlib.closing(apiary.connect()) as connection:
            with self.cache.lock:
                light = [name for name, weight in self.cache.weights.items() if weight < 36]
                self.meeting.wait()
                for name in light or ["hive-00"]:
                    self.note(connection, name)

    def note(self, connection, name):
        connection.execute("update hive set note = note || ? where name = ?", ("feed! ", name))
        self.noted += 1


def main():
    apiary.create()
    cache, meeting = apiary.HiveCache(), threading.Barrier(2)
    Scales(cache, 3, threading.Barrier(1)).run()
    print("first rounds stored:", len(cache.weights), "hives", flush=True)
    scales, console = Scales(cache, 1, meeting), Console(cache, meeting)
    scales.start()
    console.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    console.join()
    scales.join()
    print("notes:", console.noted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
