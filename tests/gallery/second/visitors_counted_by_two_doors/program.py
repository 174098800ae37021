# SPDX-License-Identifier: Apache-2.0
"""Museum: doors in processes of their own count visitors in shared memory."""

import multiprocessing
import os

context = multiprocessing.get_context("fork")


class Museum:
    def __init__(self, limit):
        self.limit = limit
        self.inside = context.Value("i", 0, lock=context.Lock())

    def let_in(self, visitors):
        with self.inside.get_lock():
            if self.inside.value + visitors <= self.limit:
                self.inside.value += visitors
                return True
        return False


def watch_door(museum, groups):
    for group in groups:
        museum.let_in(group)


def main():
    museum = Museum(120)
    doors = [
        context.Process(target=watch_door, args=(museum, [n, 4, 2]), daemon=True) for n in (3, 5)
    ]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    museum.let_in(2)
    for door in doors:
        door.start()
    for door in doors:
        door.join()
    print(museum.inside.value)


main()
