# SPDX-License-Identifier: Apache-2.0
"""Client of a web API: one token for all threads, renewed at an identity server when it expires."""

import http.client
import os
import socket
import threading
import time


class TokenStore:
    def __init__(self, port):
        self.lock = threading.Lock()
        self.port = port
        self.token = None
        self.expires = 0.0

    def renew(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", "/oauth/token", body="grant_type=client_credentials")
        answer = connection.getresponse()
        self.token = answer.read().decode()
        self.expires = time.time() + 3600

    def get(self):
        with self.lock:
            if time.time() >= self.expires:
                self.renew()
            return self.token


def fetch_orders(store, shop):
    headers = {"Authorization": f"Bearer {store.get()}"}
    return shop, headers


def main():
    identity = socket.create_server(("127.0.0.1", 0))
    store = TokenStore(identity.getsockname()[1])
    threads = []
    for shop in ("north", "south", "east", "west"):
        thread = threading.Thread(
            target=fetch_orders, args=(store, shop), name=f"orders-{shop}", daemon=True
        )
        thread.start()
        threads.append(thread)
        time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
