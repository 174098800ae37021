# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true}
"""Die with variables that a user of GDB asks for by name, by expression and by path."""

import sys
import xml.dom.minidom

import deathbed

LOCK = {"held": [1, 2]}
del sys.modules["__main__"].xml  # only sys.modules knows it by name


class Order:
    def __init__(self, number, parts):
        self.number, self.parts = number, parts


def work(way):
    numbers = [10, 20, 30]
    order = Order(7, {"wheel": ("left", "right")})
    password = "hunter2"
    settings = {"name": "visible", "api_key": "hunter2"}
    largest = 1 << 80
    deathbed.die(way)
    return numbers, order, password, settings, largest


if __name__ == "__main__":
    work(deathbed.prepare("raise"))
