# SPDX-License-Identifier: Apache-2.0
"""A shop asks its backend with a timeout; the answer comes when nobody waits for it any more."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "backend.so"))


class Order(ctypes.Structure):
    _fields_ = [("number", ctypes.c_long), ("cents", ctypes.c_long)]


library.ask_stock.argtypes = [ctypes.c_long]
library.ask_stock.restype = ctypes.c_long
library.add_up_orders.argtypes = [ctypes.POINTER(Order), ctypes.c_long]
library.add_up_orders.restype = ctypes.c_long


def in_stock(number):
    return library.ask_stock(number)


def turnover(orders):
    return library.add_up_orders(orders, len(orders))


def checkout(orders):
    missing = [order.number for order in orders[:1] if in_stock(order.number) < 0]
    return missing, turnover(orders)


def main():
    library.connect_backend()
    orders = (Order * 50)(*[(n, 999 + n) for n in range(50)])
    print(checkout(orders))


main()
