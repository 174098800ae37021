# SPDX-License-Identifier: Apache-2.0
"""A branch library joins the catalogue that the main library serves through a manager."""

import json
import os
import subprocess
import sys
from multiprocessing.managers import BaseManager

AUTHKEY = b"catalogue-2024"
MAIN_LIBRARY = """
import socket, time
listener = socket.create_server(("127.0.0.1", 0), backlog=16)
print(listener.getsockname()[1], flush=True)
catalogue = {number: "title %d" % number for number in range(1000)}
time.sleep(600)
"""


class CatalogueManager(BaseManager):
    """What the branches see of the catalogue."""


CatalogueManager.register("loans")
CatalogueManager.register("titles")


def start_main_library():
    """Start the main library's service, return it and its port."""
    service = subprocess.Popen(
        [sys.executable, "-c", MAIN_LIBRARY], stdout=subprocess.PIPE, text=True
    )
    return service, int(service.stdout.readline())


def join_catalogue(port):
    manager = CatalogueManager(address=("127.0.0.1", port), authkey=AUTHKEY)
    manager.connect()
    return manager


def lend(manager, number):
    return manager.loans().add(number)


def main():
    service, port = start_main_library()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    manager = join_catalogue(port)
    print(lend(manager, 17), service.poll())


main()
