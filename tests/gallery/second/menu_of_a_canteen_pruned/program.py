# SPDX-License-Identifier: Apache-2.0
"""Takes sold-out dishes off the menu of a canteen, which is kept as XML."""

import xml.etree.ElementTree as ET

DISHES = ("soup", "goulash", "dumplings", "trout", "compote")


class Dish(ET.Element):
    """A dish is equal to another one of the same name; a sold-out dish closes its course."""

    course = None

    def __eq__(self, other):
        if self.get("left") == "0" and self.course is not None:
            self.course.clear()
        return self.get("name") == other.get("name")

    __hash__ = object.__hash__


def menu_of_the_day():
    course = ET.Element("course", {"day": "tuesday"})
    for number, name in enumerate(DISHES):
        dish = Dish("dish", {"name": name, "left": str(12 - 4 * number if number < 4 else 3)})
        dish.course = course
        course.append(dish)
    return course


def take_off(course, name):
    course.remove(ET.Element("dish", {"name": name}))


def main():
    for name in ("soup", "compote"):
        course = menu_of_the_day()
        take_off(course, name)
        print(name, "is off,", len(course), "left")


main()
