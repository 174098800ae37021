# SPDX-License-Identifier: Apache-2.0
"""Hands lists of names to two clerk processes, each at the end of its own pipe."""

import multiprocessing
import os
import threading


def clerk(orders, other_end):
    other_end.close()
    done = 0
    while True:
        try:
            names = orders.recv()
        except EOFError:
            break
        done += len(sorted(names))
    print("sorted", done)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def hire(context, number):
    theirs, ours = context.Pipe(duplex=False)
    process = context.Process(target=clerk, args=(theirs, ours), name="clerk-%d" % number)
    process.start()
    theirs.close()
    return process, ours


def main():
    context = multiprocessing.get_context("fork")
    clerks = [hire(context, number) for number in range(2)]
    for round_ in range(20):
        process, pipe = clerks[round_ % 2]
        pipe.send(["name %d" % (number * 7 % 31) for number in range(40)])
    threading.Timer(0.6, tell).start()
    for process, pipe in clerks:
        pipe.close()
        process.join()


if __name__ == "__main__":
    main()
