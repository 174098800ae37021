# SPDX-License-Identifier: Apache-2.0
"""A healthy printer of labels; its main thread joins the printing one in turns, for Ctrl-C's sake."""  # noqa: E501

import os
import queue
import threading


def print_labels(orders):
    while True:
        order = orders.get()
        print("label for", order, flush=True)
        orders.task_done()


def main():
    orders = queue.Queue()
    printer = threading.Thread(target=print_labels, args=(orders,), name="printer")
    printer.start()
    orders.put("box 12")
    orders.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while printer.is_alive():
        printer.join(3600)


main()
