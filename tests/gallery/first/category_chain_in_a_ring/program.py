# SPDX-License-Identifier: Apache-2.0
"""A category became its own ancestor by an edit; the walk to the root never ends."""

import os


class Category:
    def __init__(self, name, parent=None):
        self.name, self.parent = name, parent


def depth_of(category):
    depth = 0
    while category is not None:
        depth += 1
        category = category.parent
    return depth


def sort_menu(categories):
    return sorted(categories, key=depth_of)


def move_category(category, parent):
    category.parent = parent


def render_shop(categories):
    return " > ".join(category.name for category in sort_menu(categories))


def main():
    home = Category("home")
    lighting = Category("lighting", home)
    lamps = Category("lamps", lighting)
    desk_lamps = Category("desk lamps", lamps)
    move_category(lighting, desk_lamps)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(render_shop([home, lighting, lamps, desk_lamps]))


main()
