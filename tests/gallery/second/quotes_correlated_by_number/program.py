# SPDX-License-Identifier: Apache-2.0
"""Client of a quote gateway: one connection, many calls in flight. Every request carries a
number, and a reader thread hands each answer to the call with that number. Quotes come through
the gateway's older backend, which passes the numbers on as text."""

import itertools
import json
import logging
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future

log = logging.getLogger("quotes")


class GatewayClient:
    def __init__(self, address):
        self.connection = socket.create_connection(address)
        self.lines = self.connection.makefile("r", encoding="utf-8")
        self.numbers = itertools.count(1)
        self.pending, self.unclaimed = {}, []
        self.reader = threading.Thread(target=self._hand_out, name="gateway-reader", daemon=True)
        self.reader.start()

    def _hand_out(self):
        for line in self.lines:
            answer = json.loads(line)
            call = self.pending.pop(answer["id"], None)
            if call is None:
                log.info("answer without a call: %r", answer["id"])
                self.unclaimed.append(answer)
                continue
            call.set_result(answer["result"])

    def call(self, method, **arguments):
        number = next(self.numbers)
        future = self.pending[number] = Future()
        request = {"id": number, "method": method, "arguments": arguments}
        self.connection.sendall(json.dumps(request).encode() + b"\n")
        return future.result()


def serve():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    connection, _ = listener.accept()
    stream = connection.makefile("rw", encoding="utf-8")
    for line in stream:
        request = json.loads(line)
        if request["method"] == "ping":
            answer = {"id": request["id"], "result": "pong"}
        else:
            answer = {"id": str(request["id"]), "result": 104.25}
        stream.write(json.dumps(answer) + "\n")
        stream.flush()


def value_portfolio(client, holdings):
    return sum(count * client.call("quote", symbol=symbol) for symbol, count in holdings.items())


def main():
    gateway = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "serve"], stdout=subprocess.PIPE, text=True
    )
    client = GatewayClient(("127.0.0.1", int(gateway.stdout.readline())))
    assert client.call("ping") == "pong"
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(value_portfolio(client, {"ACME": 12, "GLOBEX": 3}))


if sys.argv[1:] == ["serve"]:
    serve()
else:
    main()
