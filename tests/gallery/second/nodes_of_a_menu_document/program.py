# SPDX-License-Identifier: Apache-2.0
"""The menus of a canteen as XML: cooks add dishes and withdraw them."""

import logging
import queue
import threading
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass

log = logging.getLogger("canteen")


class Dish(ET.Element):
    """A dish; two are the same dish when their names are, however they are spelt.

    A name that is spelt carelessly shows that the menu was typed by hand: it is entered anew.
    """

    menu = None

    def key(self):
        return " ".join(self.get("name", "").lower().split())

    def __eq__(self, other):
        if isinstance(other, Dish) and self.menu is not None and self.key() != self.get("name"):
            self.menu.enter_anew()
        return isinstance(other, Dish) and self.key() == other.key()

    __hash__ = ET.Element.__hash__


class Menu:
    """The dishes of a day."""

    def __init__(self, day, orders):
        self.day = day
        self.orders = orders
        self.root = ET.Element("menu", day=day)
        self.entered_anew = 0

    def add(self, name, cents):
        dish = Dish("dish", {"name": name, "cents": str(cents)})
        dish.menu = self
        self.root.append(dish)
        return dish

    def withdraw(self, name):
        self.root.remove(Dish("dish", {"name": name}))

    def enter_anew(self):
        """Order all dishes once more, spelt the same way, without those that come twice."""
        dishes = {dish.key(): int(dish.get("cents")) for dish in self.root}
        self.root.clear()
        for key, cents in dishes.items():
            self.orders.put(Order(self.day, "add", key, cents))
        self.entered_anew += 1

    def text(self):
        return ET.tostring(self.root, encoding="unicode")


@dataclass
class Order:
    day: str
    verb: str
    name: str
    cents: int = 0


class Kitchen(threading.Thread):
    """Does what the cooks say."""

    def __init__(self, orders, menus):
        super().__init__(name="kitchen", daemon=True)
        self.orders = orders
        self.menus = menus
        self.done = 0

    def run(self):
        while True:
            order = self.orders.get()
            menu = self.menus[order.day]
            if order.verb == "add":
                menu.add(order.name, order.cents)
            else:
                menu.withdraw(order.name)
            self.done += 1


class Board(threading.Thread):
    """Shows the menu of Monday in the hall."""

    def __init__(self, menus):
        super().__init__(name="board", daemon=True)
        self.menus = menus
        self.bytes = 0

    def run(self):
        while True:
            time.sleep(5)
            self.bytes = len(self.menus["monday"].text())


def main():
    logging.basicConfig(level=logging.INFO)
    orders = queue.Queue()
    menus = {day: Menu(day, orders) for day in ("monday", "tuesday", "friday")}
    kitchen = Kitchen(orders, menus)
    kitchen.start()
    Board(menus).start()
    for name in ("leek soup", "rye bread", "barley stew"):
        for day in menus:
            orders.put(Order(day, "add", name, 420))
    orders.put(Order("tuesday", "withdraw", "rye bread"))
    orders.put(Order("friday", "add", "Plum  Tart", 250))
    orders.put(Order("friday", "add", "plum tart", 250))
    time.sleep(0.5)
    orders.put(Order("friday", "withdraw", "plum tart"))
    while True:
        time.sleep(1)
        log.info("%d orders done", kitchen.done)


if __name__ == "__main__":
    main()
