# SPDX-License-Identifier: Apache-2.0
"""Electronic shelf labels: each label's thread waits for the next edition of the price list."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class PriceList:
    def __init__(self):
        self.published = threading.Condition()
        self.edition = 1
        self.prices = {"milk": 119, "bread": 249, "eggs": 329, "salt": 59, "rice": 189}
        self.awaiting = 0

    def publish(self, prices):
        with self.published:
            self.prices = prices
            self.edition += 1
            self.published.notify_all()

    def edition_after(self, edition):
        with self.published:
            self.awaiting += 1
            if self.awaiting == len(self.prices):
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")
            self.published.wait_for(lambda: self.edition > edition)
            self.awaiting -= 1
            return self.edition


class ShelfLabel(threading.Thread):
    def __init__(self, price_list, article):
        super().__init__(name="label-" + article, daemon=True)
        self.price_list = price_list
        self.article = article
        self.shown = None

    def run(self):
        edition = self.price_list.edition
        while True:
            self.shown = self.price_list.prices.get(self.article)
            edition = self.price_list.edition_after(edition)


class Publisher(BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.price_list.publish(json.loads(body))
        self.send_response(204)
        self.end_headers()


def main():
    server = HTTPServer(("127.0.0.1", 0), Publisher)
    server.price_list = PriceList()
    for article in list(server.price_list.prices):
        ShelfLabel(server.price_list, article).start()
    server.serve_forever()


main()
