# SPDX-License-Identifier: Apache-2.0
"""A register is written through sort(1); beside it a forked process shows how far things are."""

import multiprocessing
import os
import subprocess

SURNAMES = ["Visser", "Jansen", "Bakker", "Mulder", "de Groot", "Bos", "Smit", "Dekker"]


def show_progress(steps):
    while True:
        step = steps.recv()
        print("step", step, flush=True)


class Register:
    def __init__(self, path):
        self.output = open(path, "w")
        self.sorter = subprocess.Popen(["sort"], stdin=subprocess.PIPE, stdout=self.output)

    def add(self, surname, number):
        self.sorter.stdin.write(b"%s %05d\n" % (surname.encode(), number))

    def finish(self):
        self.sorter.stdin.close()
        return self.sorter.wait()


def main():
    register = Register("register.txt")
    forks = multiprocessing.get_context("fork")
    receiver, steps = forks.Pipe(duplex=False)
    progress = forks.Process(target=show_progress, args=(receiver,), daemon=True)
    progress.start()
    receiver.close()
    for number in range(400):
        register.add(SURNAMES[number % len(SURNAMES)], number)
        if number % 100 == 0:
            steps.send(number)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("sort ended with", register.finish())


main()
