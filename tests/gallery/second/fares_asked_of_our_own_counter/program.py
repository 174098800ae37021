# SPDX-License-Identifier: Apache-2.0
"""A ferry counter: a small web service on gevent, and a poster that shows its fares."""

import os
from pathlib import Path

import gevent
import requests
from gevent.pywsgi import WSGIServer

FARES = {"/adult": b"12.50", "/child": b"6.00", "/bicycle": b"4.00"}


def counter(environ, start_response):
    fare = FARES.get(environ["PATH_INFO"])
    if fare is None:
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"no such fare"]
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [fare]


class Poster:
    def __init__(self, port):
        self.port = port
        self.session = requests.Session()
        self.session.trust_env = False
        self.lines = []

    def fetch_fare(self, kind):
        answer = self.session.get(f"http://127.0.0.1:{self.port}{kind}")
        answer.raise_for_status()
        return answer.text

    def redraw(self):
        for kind in FARES:
            self.lines.append(f"{kind[1:]:<10}{self.fetch_fare(kind)}")


def main():
    server = WSGIServer(("127.0.0.1", 0), counter, log=None)
    server.start()
    poster = Poster(server.server_port)
    drawing = gevent.spawn(poster.redraw)
    Path("ready").write_text(f"{os.getpid()}\n")
    drawing.join()
    print("\n".join(poster.lines))
    server.stop()


if __name__ == "__main__":
    main()
