# SPDX-License-Identifier: Apache-2.0
"""Tells the shops' webhooks that their parcels have arrived, then ends."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def start_shop():
    shop = subprocess.Popen([sys.executable, "shop.py"], stdout=subprocess.PIPE, text=True)
    return shop, int(shop.stdout.readline())


def post(port, path, body):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        payload = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: shop\r\nContent-Length: {len(payload)}\r\n\r\n"
        connection.sendall(head.encode() + payload)
        return read_status(connection)


def read_status(connection):
    received = b""
    while b"\r\n" not in received:
        piece = connection.recv(4096)
        if not piece:
            raise ConnectionError("closed by the shop")
        received += piece
    return int(received.split()[1])


def tell(port, parcel):
    status = post(port, "/hooks/parcel", {"parcel": parcel, "state": "arrived"})
    return parcel, status


def heartbeat():
    while True:
        time.sleep(0.5)
        Path("beat").write_text(f"{time.time()}\n")


def main():
    shop, port = start_shop()
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    pool = ThreadPoolExecutor(3, thread_name_prefix="hooks")
    for number in range(9):
        future = pool.submit(tell, port, f"P{number:06}")
        future.add_done_callback(lambda told: print(told.result()))
    Path("ready").write_text(f"{os.getpid()}\n")
    print("all parcels handed to the pool")


if __name__ == "__main__":
    main()
