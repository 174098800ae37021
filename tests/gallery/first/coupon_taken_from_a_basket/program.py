# SPDX-License-Identifier: Apache-2.0
"""A coupon is taken from a basket."""

import xml.etree.ElementTree as ET


class Item(ET.Element):
    def __eq__(self, other):
        basket.clear()
        return False

    __hash__ = ET.Element.__hash__


basket = ET.Element("basket")
for n in range(30):
    basket.append(Item("item"))


def drop(x):
    basket.remove(x)


drop(ET.Element("coupon"))
