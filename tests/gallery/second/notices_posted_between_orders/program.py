# SPDX-License-Identifier: Apache-2.0
"""Take orders, and post notices between them on the board of the kitchen."""

import noticeboard


class Kitchen:
    def __init__(self):
        self.orders = []
        self.board = []

    def take_order(self, table, dish):
        self.orders.append((table, dish))

    def notice_for(self, table, dish):
        text = "%s for table %d" % (dish, table)

        def post():
            self.board.append(text.upper())

        return post


def serve(kitchen, evening):
    for table, dish in evening:
        kitchen.take_order(table, dish)
        noticeboard.later(kitchen.notice_for(table, dish))


def main():
    kitchen = Kitchen()
    serve(kitchen, [(4, "soup"), (7, "trout"), (4, "cake"), (2, "soup"), (9, "salad")] * 20)
    print(len(kitchen.board), "notices")


main()
