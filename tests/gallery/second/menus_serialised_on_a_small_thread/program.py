# SPDX-License-Identifier: Apache-2.0
"""A canteen portal renders its menus as JSON in threads with small stacks, to have many of them."""

import json
import logging
import queue
import threading

log = logging.getLogger("menus")
STACK = 64 * 1024


class Dish:
    def __init__(self, name, cents):
        self.name = name
        self.cents = cents
        self.variants = []

    def variant(self, name, cents):
        dish = Dish(name, cents)
        self.variants.append(dish)
        return dish

    def plain(self):
        return {"name": self.name, "cents": self.cents}


def as_tree(root):
    """Return nested dicts, built from the leaves up."""
    order, stack = [], [root]
    while stack:
        dish = stack.pop()
        order.append(dish)
        stack += dish.variants
    made = {}
    for dish in reversed(order):
        made[id(dish)] = {**dish.plain(), "variants": [made.pop(id(v)) for v in dish.variants]}
    return made[id(root)]


class Renderer(threading.Thread):
    def __init__(self, number, orders):
        super().__init__(name="renderer-%d" % number)
        self.orders = orders
        self.rendered = {}

    def run(self):
        while True:
            order = self.orders.get()
            if order is None:
                return
            day, dish = order
            self.rendered[day] = json.dumps(as_tree(dish), indent=None)
            log.info("%s: %d characters", day, len(self.rendered[day]))


def menu(depth):
    root = dish = Dish("stew", 450)
    for n in range(depth):
        dish = dish.variant("with more of it (%d)" % n, 450 + n)
    return root


def main():
    logging.basicConfig(level=logging.INFO)
    threading.stack_size(STACK)
    orders = queue.Queue()
    renderers = [Renderer(n, orders) for n in range(2)]
    for renderer in renderers:
        renderer.start()
    for day, depth in (("monday", 2), ("tuesday", 3), ("friday", 400)):
        orders.put((day, menu(depth)))
    for _ in renderers:
        orders.put(None)
    for renderer in renderers:
        renderer.join()


main()
