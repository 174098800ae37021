# SPDX-License-Identifier: Apache-2.0
"""XML-RPC service of a registry of bee colonies."""

import logging
import os
import signal
import threading
import time
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCServer

log = logging.getLogger("registry")


class Registry:
    def __init__(self):
        self._colonies = {}

    def register(self, place, hives):
        self._colonies[place] = self._colonies.get(place, 0) + hives
        return self._colonies[place]

    def total(self):
        return sum(self._colonies.values())


class Service:
    def __init__(self):
        self.server = SimpleXMLRPCServer(("127.0.0.1", 0), allow_none=True, logRequests=False)
        self.server.register_instance(Registry())
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, number, frame):
        log.info("%s: closing", signal.Signals(number).name)
        self.server.shutdown()
        self.server.server_close()

    def run(self):
        self.server.serve_forever()
        log.info("closed")


def a_day(port):
    registry = xmlrpc.client.ServerProxy(f"http://127.0.0.1:{port}/")
    for place, hives in (("orchard", 12), ("heath", 30), ("rape field", 44)):
        registry.register(place, hives)
    log.info("%d hives", registry.total())
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.5)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")


def main():
    logging.basicConfig(level=logging.INFO)
    service = Service()
    port = service.server.server_address[1]
    threading.Thread(target=a_day, args=(port,), daemon=True).start()
    service.run()


if __name__ == "__main__":
    main()
