# SPDX-License-Identifier: Apache-2.0
"""A queue at a counter hands out tickets; their type is compiled."""

import counterdesk


class Desk:
    def __init__(self):
        self.served = 0
        self.current = None

    def call_next(self):
        self.current = counterdesk.next_ticket()
        self.served += 1
        return counterdesk.number_of(self.current)


def main():
    desk = Desk()
    print([desk.call_next() for _ in range(5)])


main()
