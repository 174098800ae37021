# SPDX-License-Identifier: Apache-2.0
"""Tell over XML-RPC where parcels are; a shop keeps its connection between two questions."""

import os
import threading
import xmlrpc.client
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer


class Handler(SimpleXMLRPCRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass


class Tracker(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.places = {"p1": "harbour", "p2": "depot"}
        self.register_function(self.places.get, "where")


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def ask(tracker, shops):
    shop = xmlrpc.client.ServerProxy("http://127.0.0.1:%d" % tracker.server_address[1])
    shops.append((shop, shop.where("p1")))
    tell()


def main():
    tracker = Tracker()
    shops = []
    threading.Thread(target=ask, args=(tracker, shops)).start()
    tracker.serve_forever()


main()
