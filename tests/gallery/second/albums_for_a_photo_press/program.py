# SPDX-License-Identifier: Apache-2.0
"""A photo press lays out albums in worker processes and then prints all at once."""

import multiprocessing
import os

ALBUMS = [
    {"title": "Lisbon", "photos": 24, "columns": 3},
    {"title": "Winter", "photos": 40, "columns": 4},
    {"title": "Draft", "photos": 12, "columns": 0},
    {"title": "Garden", "photos": 9, "columns": 3},
]


def rows(album):
    return -(-album["photos"] // album["columns"])


def lay_out(orders, pages):
    while True:
        album = orders.get()
        pages.put((album["title"], rows(album)))
        orders.task_done()


class Press:
    def __init__(self, context, workers):
        self.orders = context.JoinableQueue()
        self.pages = context.Queue()
        self.workers = [
            context.Process(target=lay_out, args=(self.orders, self.pages), daemon=True)
            for _ in range(workers)
        ]

    def start(self):
        for worker in self.workers:
            worker.start()

    def print_all(self, albums):
        for album in albums:
            self.orders.put(album)
        self.orders.join()
        return [self.pages.get() for _ in albums]


def main():
    press = Press(multiprocessing.get_context("fork"), 1)
    press.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(press.print_all(ALBUMS))


main()
