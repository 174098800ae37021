# SPDX-License-Identifier: Apache-2.0
"""Exporter: samples the length of a spool folder and offers it over HTTP to the monitoring."""

import os
import threading
import time
import urllib.request
import wsgiref.simple_server

SPOOL = "spool"


class Gauge:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = 0

    def set(self, value):
        with self.lock:
            self.value = value


gauge = Gauge()


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


def metrics(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    with gauge.lock:
        return [f"spool_length {gauge.value}\n".encode()]


def sample_for_ever(interval):
    while True:
        gauge.set(len(os.listdir(SPOOL)))
        time.sleep(interval)


def main():
    os.makedirs(SPOOL, exist_ok=True)
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, metrics, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, args=(30,), daemon=True).start()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics") as answer:
        print(answer.read(), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    sample_for_ever(15)


main()
