# SPDX-License-Identifier: Apache-2.0
"""Registry of a small cluster: a manager serves a dictionary of nodes to its members."""

import os
import socket
from multiprocessing.managers import BaseManager

NODES = {}


class Registry(BaseManager):
    pass


def register(name, address):
    NODES[name] = address
    return len(NODES)


Registry.register("announce", callable=register)


def main():
    register("keeper", socket.gethostname())
    manager = Registry(address=("127.0.0.1", 0), authkey=b"cluster-7")
    server = manager.get_server()
    print("registry at", server.address, flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    server.serve_forever()


main()
