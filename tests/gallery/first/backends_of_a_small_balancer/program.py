# SPDX-License-Identifier: Apache-2.0
"""A small load balancer: requests go in turn to the backends that answered the last probe."""

import itertools
import os
import socket


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Balancer:
    def __init__(self, backends):
        self.turn = itertools.cycle(backends)
        self.down = set()

    def probe(self, backend):
        try:
            socket.create_connection(backend, timeout=1).close()
        except OSError:
            self.down.add(backend)
        else:
            self.down.discard(backend)

    def choose(self):
        """Return the next backend that is up."""
        backend = next(self.turn)
        while backend in self.down:
            backend = next(self.turn)
        return backend

    def forward(self, request):
        backend = self.choose()
        with socket.create_connection(backend, timeout=2) as connection:
            connection.sendall(request)
            return connection.recv(4096)


def serve(balancer, backends, requests):
    for backend in backends:
        balancer.probe(backend)
    print("down:", len(balancer.down), flush=True)
    for request in requests:
        print(balancer.forward(request))


def main():
    backends = [("127.0.0.1", free_port()) for _ in range(3)]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    serve(Balancer(backends), backends, [b"GET /stock HTTP/1.0\r\n\r\n"])


main()
