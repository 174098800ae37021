# SPDX-License-Identifier: Apache-2.0
"""Map service: a keeper starts the renderers again when they end; each awaits orders on a pipe."""

import multiprocessing
import multiprocessing.connection
import os

context = multiprocessing.get_context("fork")


def render_orders(orders):
    while True:
        tile = orders.recv()
        orders.send((tile, sum(tile) % 7))


class Keeper:
    def __init__(self, count):
        self.renderers = {}
        for _ in range(count):
            self.start_renderer()

    def start_renderer(self):
        ours, theirs = context.Pipe()
        renderer = context.Process(target=render_orders, args=(theirs,), daemon=True)
        renderer.start()
        self.renderers[renderer.sentinel] = (renderer, ours)

    def keep(self):
        while True:
            for sentinel in multiprocessing.connection.wait(list(self.renderers)):
                renderer, orders = self.renderers.pop(sentinel)
                print("renderer ended:", renderer.exitcode, flush=True)
                orders.close()
                self.start_renderer()


def main():
    keeper = Keeper(3)
    for _, orders in keeper.renderers.values():
        orders.send((3, 5, 2))
        orders.recv()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    keeper.keep()


main()
