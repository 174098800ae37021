# SPDX-License-Identifier: Apache-2.0
"""Two services of a shop in one process: stock asks for prices, prices ask what is in stock."""

import os
import threading
import xmlrpc.client
import xmlrpc.server


class Service:
    def __init__(self, name):
        self.name = name
        self.server = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        self.port = self.server.server_address[1]
        self.peer = None
        self.asked = 0
        self.server.register_instance(self)

    def start(self):
        threading.Thread(target=self.server.serve_forever, name=self.name, daemon=True).start()

    def ask(self, question, *given):
        self.asked += 1
        with xmlrpc.client.ServerProxy(f"http://127.0.0.1:{self.peer.port}/") as proxy:
            return getattr(proxy, question)(*given)


class Stock(Service):
    pieces = {"lamp": 3, "chair": 0}

    def count(self, article):
        return self.pieces[article]

    def worth(self, article):
        return self.pieces[article] * self.ask("price", article)


class Prices(Service):
    prices = {"lamp": 45, "chair": 80}

    def price(self, article):
        left = self.ask("count", article)
        return self.prices[article] * (2 if left < 5 else 1)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    stock, prices = Stock("stock"), Prices("prices")
    stock.peer, prices.peer = prices, stock
    stock.start()
    prices.start()
    threading.Timer(0.8, announce).start()
    with xmlrpc.client.ServerProxy(f"http://127.0.0.1:{prices.port}/") as shop:
        print("price", shop.price("lamp"), flush=True)
    with xmlrpc.client.ServerProxy(f"http://127.0.0.1:{stock.port}/") as shop:
        print("worth", shop.worth("lamp"), flush=True)


main()
