# SPDX-License-Identifier: Apache-2.0
"""Fax gateway: sends the pages of a document; the other side may hang up in between."""

import faxline


class Gateway:
    def __init__(self, number):
        self.line = faxline.dial(number)

    def on_status(self, page):
        if page == 3:
            faxline.hang_up(self.line)
        return page

    def send(self, pages):
        sent = 0
        for number, page in enumerate(pages, 1):
            self.on_status(number)
            sent += faxline.send_page(self.line, page)
        return sent


def main():
    gateway = Gateway("+49 89 5550123")
    document = [f"page {number} of the contract".encode() for number in range(1, 6)]
    print(gateway.send(document))


main()
