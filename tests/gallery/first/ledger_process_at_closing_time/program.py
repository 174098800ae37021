# SPDX-License-Identifier: Apache-2.0
"""Till of a bakery: sales go through a pipe to a process that keeps the ledger."""

import multiprocessing
import os


def keep_ledger(sales):
    total = 0
    while True:
        sale = sales.recv()
        if sale is None:
            break
        total += sale["cents"]
    print("closed with", total)


def open_till():
    context = multiprocessing.get_context("fork")
    incoming, outgoing = context.Pipe(duplex=False)
    ledger = context.Process(target=keep_ledger, args=(incoming,), name="ledger")
    ledger.start()
    return ledger, outgoing


def main():
    ledger, till = open_till()
    for cents in (180, 250, 95):
        till.send({"cents": cents})
    print("good night", flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
