# SPDX-License-Identifier: Apache-2.0
"""A snow station sends its depths to a server; what fails is tried again, later and later."""

import functools
import http.client
import json
import os
import random
import socket
import time


def with_backoff(*errors, first=0.05, factor=2.0, longest=90.0, attempts=14):
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            pause = first
            for attempt in range(1, attempts + 1):
                try:
                    return function(*args, **kwargs)
                except errors as error:
                    if attempt == attempts:
                        raise
                    print(f"attempt {attempt}: {error}; again in {pause:.1f} s", flush=True)
                    time.sleep(pause + random.uniform(0, pause / 10))
                    pause = min(pause * factor, longest)

        return call

    return decorate


class Uplink:
    def __init__(self, host, port):
        self.host, self.port = host, port
        self.sent = 0

    @with_backoff(ConnectionError, http.client.HTTPException)
    def send(self, measurement):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
        try:
            connection.request("POST", "/depths", json.dumps(measurement))
            if connection.getresponse().status >= 500:
                raise http.client.HTTPException("server busy")
        finally:
            connection.close()
        self.sent += 1


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    uplink = Uplink("127.0.0.1", unused_port())
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for hour in range(24):
        uplink.send({"station": "Nordkette", "hour": hour, "depth": 140 + hour % 3})


main()
