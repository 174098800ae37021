# SPDX-License-Identifier: Apache-2.0
"""A stock service over XML-RPC; its orders are priced by a service whose address stands in the settings."""  # noqa: E501

import os
import threading
import xmlrpc.client
import xmlrpc.server


class Stock:
    def __init__(self):
        self.settings, self.prices = {}, {"bolt": 4, "nut": 2}

    def price_of(self, article):
        return self.prices[article]

    def order(self, article, count):
        with xmlrpc.client.ServerProxy(self.settings["prices"]) as pricing:
            return count * pricing.price_of(article)


def serve(stock):
    server = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
    server.register_instance(stock)
    threading.Thread(target=server.serve_forever, name="stock-rpc", daemon=True).start()
    return "http://127.0.0.1:%d/" % server.server_address[1]


def main():
    stock = Stock()
    stock.settings["prices"] = serve(stock)
    shop = xmlrpc.client.ServerProxy(stock.settings["prices"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(shop.order("bolt", 12))


main()
