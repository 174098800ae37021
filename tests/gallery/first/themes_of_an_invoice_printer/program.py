# SPDX-License-Identifier: Apache-2.0
"""An invoice printer whose theme is loaded again when its settings change."""

import gc
import importlib.machinery
import importlib.util
import os
from dataclasses import dataclass, field


def load_theme():
    """Load a fresh copy of the theme: each has tables of its own."""
    loader = importlib.machinery.ExtensionFileLoader("theme", os.path.abspath("theme.so"))
    spec = importlib.util.spec_from_loader("theme", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@dataclass
class Invoice:
    number: int
    customer: str
    currency: str
    lines: list = field(default_factory=list)

    def total(self):
        return sum(count * price for _, count, price in self.lines)


class Printer:
    def __init__(self):
        self.theme = None
        self.formatters = {}
        self.use(load_theme())

    def use(self, theme):
        self.theme = theme

    def formatter(self, currency):
        if currency not in self.formatters:
            self.formatters[currency] = self.theme.formatter(currency)
        return self.formatters[currency]

    def render(self, invoice):
        money = self.formatter(invoice.currency)
        rows = [
            f"{name:20} {count:4} {money.format(price)}" for name, count, price in invoice.lines
        ]
        return "\n".join([f"No. {invoice.number} {invoice.customer}", *rows,
                          money.format(invoice.total())])  # fmt: skip


def invoices(first, count):
    for number in range(first, first + count):
        invoice = Invoice(number, f"customer {number % 40}", ("EUR", "GBP", "CHF")[number % 3])
        for line in range(2 + number % 5):
            invoice.lines.append((f"article {line}", 1 + line, 4.5 * (number % 7 + 1)))
        yield invoice


def main():
    printer = Printer()
    print(sum(len(printer.render(invoice)) for invoice in invoices(1, 300)))
    printer.use(load_theme())
    gc.collect()
    print(sum(len(printer.render(invoice)) for invoice in invoices(301, 300)))


main()
