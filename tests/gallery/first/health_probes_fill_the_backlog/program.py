# SPDX-License-Identifier: Apache-2.0
"""A control socket of a worker; before it serves, its own probes are queued there."""

import json
import os
import socket


class ControlServer:
    def __init__(self, path):
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(2)

    def serve_once(self):
        client, _ = self.listener.accept()
        with client:
            name = client.recv(100)
            client.sendall(b"ok " + name)


class Probe:
    """A question about one component, answered by the control socket."""

    def __init__(self, component):
        self.component = component
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def send(self, path):
        self.socket.connect(path)
        self.socket.sendall(self.component.encode())

    def answer(self):
        with self.socket:
            return self.socket.recv(100).decode()


def warm_up(server, components):
    probes = [Probe(component) for component in components]
    for probe in probes:
        probe.send(server.path)
    for _ in probes:
        server.serve_once()
    return [probe.answer() for probe in probes]


def main():
    path = "control-%d.sock" % os.getpid()
    server = ControlServer(path)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(warm_up(server, ["database", "cache", "mail", "search", "files", "billing"]))


main()
