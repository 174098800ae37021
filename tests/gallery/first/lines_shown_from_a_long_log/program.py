# SPDX-License-Identifier: Apache-2.0
"""Show the lines of a log that a viewer scrolls to."""

import pager


class Viewer:
    def __init__(self, lines):
        self.pager = pager.Pager()
        for line in lines:
            self.pager.add(len(line))

    def page(self, number):
        return self.pager.show(number * 20)

    def last(self):
        return self.pager.show()


def main():
    viewer = Viewer(["line %d of the log" % number for number in range(400)])
    print("last", viewer.last())
    for number in (0, 3):
        print("page", number, viewer.page(number))


main()
