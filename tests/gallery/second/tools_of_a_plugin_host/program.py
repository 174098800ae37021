# SPDX-License-Identifier: Apache-2.0
"""A drawing program loads tools from plugins, and drops those that are out of date."""

import sys

sys.path.insert(0, ".")

import plugins


class Toolbox:
    def __init__(self):
        self.tools = {}
        self.history = []

    def load(self, place, title):
        self.tools[title] = plugins.load(place, title)

    def retire(self, place, title):
        plugins.unload(
            place, f"the tool {title} was retired: there is a newer version of it, see notes"
        )

    def measure(self, title, sides):
        answer = [self.tools[title](side) for side in sides]
        self.history.append((title, sum(answer)))
        return answer


def main():
    box = Toolbox()
    for place, title in enumerate(("square", "field", "court")):
        box.load(place, title)
    print(box.measure("field", [2.0, 3.5]), flush=True)
    box.retire(1, "field")
    box.load(4, "garden")
    for title in ("square", "garden", "field"):
        print(title, box.measure(title, [1.0, 2.0]), flush=True)


main()
