# SPDX-License-Identifier: Apache-2.0
"""A brewery's metrics exporter also counts the collections of Python's garbage collector."""

import gc
import http.server
import os
import threading
import urllib.request

import metrics

registry = metrics.Registry()
collections_seen = registry.counter("python_gc_collections_total")
tanks = registry.gauge("tank_litres")


def on_collection(phase, info):
    """Called by the garbage collector."""
    if phase == "stop":
        collections_seen.add(1, generation=info["generation"])


class Exporter(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = metrics.render(registry).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=server.serve_forever, name="exporter", daemon=True).start()
    return server.server_address[1]


def measure(count):
    for number in range(count):
        tanks.set(900 + number * 3, tank=number, cellar=number % 4)


def scrape(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return answer.read().decode().splitlines()


def main():
    port = serve()
    gc.disable()
    measure(40)
    print("small brewery:", len(scrape(port)), "lines", flush=True)
    # The brewery grows, and somebody wants to know what the collector costs.
    measure(30000)
    gc.callbacks.append(on_collection)
    gc.enable()
    gc.collect()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(2.0, ready).start()
    while True:
        print("large brewery:", len(scrape(port)), "lines", flush=True)


if __name__ == "__main__":
    main()
