# SPDX-License-Identifier: Apache-2.0
"""Orders with one line each are filled, housekeeping runs, and the orders are invoiced."""

import gc

import orders


class Report:
    def __init__(self):
        self.rows = []


def housekeeping():
    gc.collect()


def fill(price):
    order = orders.new_order()
    order.add_line(price)
    return order


def invoice(report, price):
    order = fill(price)
    report.rows.append(order.total())
    housekeeping()
    report.rows.append(order.total())


def main():
    report = Report()
    for price in (1999, 450):
        invoice(report, price)
    print(report.rows)


main()
