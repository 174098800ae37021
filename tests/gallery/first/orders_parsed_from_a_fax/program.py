# SPDX-License-Identifier: Apache-2.0
"""A wholesaler takes orders by fax; a field that cannot be right rejects the whole order."""

import ctypes
import logging
import os
from collections import Counter
from dataclasses import dataclass, field

HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
log = logging.getLogger("fax")
library = ctypes.CDLL(os.path.abspath("faxparse.so"))
library.fax_parse.argtypes = [ctypes.c_char_p, HANDLER]
library.fax_reject.argtypes = [ctypes.c_char_p]
library.fax_reason.restype = ctypes.c_char_p


@dataclass
class Order:
    customer: str = ""
    articles: Counter = field(default_factory=Counter)

    def set(self, name, value):
        if name == "customer":
            self.customer = value
        else:
            self.articles[name] += self.count(name, value)

    def count(self, name, value):
        count = int(value)
        if not 0 < count < 1000:
            library.fax_reject(f"{name}: {value}".encode())
        return count


class Desk:
    def __init__(self):
        self.orders = []
        self.rejected = []
        self.current = None
        self.handler = HANDLER(self.take_field)

    def take_field(self, line, name, value):
        self.current.set(name.decode(), value.decode())
        return 1

    def receive(self, text):
        self.current = Order()
        if library.fax_parse(text.encode(), self.handler) < 0:
            self.rejected.append(library.fax_reason())
            log.warning("order %d rejected: %s", len(self.rejected), self.rejected[-1])
        else:
            self.orders.append(self.current)

    def picking_list(self):
        total = Counter()
        for order in self.orders:
            total.update(order.articles)
        return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def faxes(count):
    for number in range(count):
        lines = [f"customer=C{number % 37:03}"]
        for article in range(3 + number % 6):
            pieces = (number * 17 + article * 5) % 60 + (1 if number % 23 else 0)
            lines.append(f"A{article * 7 % 40:03}={pieces}")
        yield "\n".join(lines) + "\n"


def main():
    desk = Desk()
    for text in faxes(4000):
        desk.receive(text)
    print(len(desk.orders), len(desk.rejected), desk.picking_list()[:3])


main()
