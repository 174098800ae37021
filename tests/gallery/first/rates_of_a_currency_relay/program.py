# SPDX-License-Identifier: Apache-2.0
"""Relays currency rates from a bank's gateway to the desks of an office."""

import os
import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAIRS = ["EURUSD", "EURNOK", "EURGBP"]


class GatewayClient:
    def __init__(self, address):
        self.address = address
        self.attempts = dict.fromkeys(PAIRS, 0)
        self.last_error = None

    def ask(self, pair):
        with socket.create_connection(self.address, timeout=2) as connection:
            connection.sendall(f"RATE {pair}\n".encode())
            return float(connection.makefile().readline())

    def rate(self, pair):
        while True:
            self.attempts[pair] += 1
            try:
                return self.ask(pair)
            except OSError as error:
                self.last_error = error
                time.sleep(0.01 + random.random() / 50)


def heartbeat(state):
    while True:
        state["beat"] = time.time()
        time.sleep(0.5)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def main():
    threading.Thread(target=heartbeat, args=({},), name="heartbeat", daemon=True).start()
    client = GatewayClient(("127.0.0.1", free_port()))
    Path("ready").write_text(f"{os.getpid()}\n")
    with ThreadPoolExecutor(len(PAIRS), thread_name_prefix="rates") as pool:
        for pair, rate in zip(PAIRS, pool.map(client.rate, PAIRS)):
            print(pair, rate)


if __name__ == "__main__":
    main()
