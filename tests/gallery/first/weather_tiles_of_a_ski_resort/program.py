# SPDX-License-Identifier: Apache-2.0
"""Weather of the slopes as small pages, served by waitress."""

import http.client
import json
import os
import threading
import time
from pathlib import Path

from forecast import Forecasts
from waitress.server import create_server


class Application:
    def __init__(self):
        self.forecasts = Forecasts()

    def __call__(self, environ, start_response):
        slope = environ["PATH_INFO"].strip("/")
        try:
            body = json.dumps(self.forecasts.get(slope)).encode()
            status = "200 OK"
        except KeyError:
            body, status = b"no such slope", "404 Not Found"
        start_response(status, [("Content-Length", str(len(body)))])
        return [body]


def visitor(port, slope):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/{slope}")
    print(slope, connection.getresponse().status, flush=True)


def morning(port):
    time.sleep(0.2)
    for slope in ("north", "glacier", "glacier", "north"):
        visitor(port, slope)
    visitor(port, "half-pipe")
    for _ in range(5):
        threading.Thread(target=visitor, args=(port, "half-pipe"), daemon=True).start()
    time.sleep(0.3)
    Path("ready").write_text(f"{os.getpid()}\n")


def main():
    server = create_server(Application(), host="127.0.0.1", port=0, threads=4)
    port = server.effective_port
    threading.Thread(target=morning, args=(port,), daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()
