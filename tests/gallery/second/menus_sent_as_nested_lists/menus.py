# SPDX-License-Identifier: Apache-2.0
"""The menus of restaurants: nested lists of courses, as their tills send them."""

import ctypes
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
parser = ctypes.CDLL(os.path.join(HERE, "menus_sent_as_nested_lists.so"))
parser.menu_parse.restype = ctypes.c_long
parser.menu_parse.argtypes = [ctypes.c_char_p, ctypes.c_long]


class Till:
    """A till that appends the dish of the day to what it sent before, as a course of its own."""

    def __init__(self, name, dishes):
        self.name = name
        self.text = json.dumps(dishes)

    def append(self, dish, times=1):
        closing = f', "{dish}"]'
        self.text = "[" * times + self.text + closing * times

    def send(self):
        return self.text.encode()


class MenuService:
    def __init__(self):
        self.sizes = {}

    def receive(self, till):
        data = till.send()
        self.sizes[till.name] = parser.menu_parse(data, len(data))
        return self.sizes[till.name]
