# SPDX-License-Identifier: Apache-2.0
"""Two tills of a bakery lock stock and till in two orders."""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Exporter:
    """Serves the counters as text, as prometheus_client does."""

    def __init__(self, registry):
        self.registry = registry
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = exporter.render().encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True, name="metrics").start()

    def render(self):
        return "\n".join(f"{metric.name} {metric.value}" for metric in self.registry.values())


class Counter:
    def __init__(self, name):
        self.name, self.value, self.lock = name, 0, threading.Lock()

    def inc(self, amount=1):
        with self.lock:
            self.value += amount


class Session:
    """As requests.Session: headers, adapters, hooks."""

    def __init__(self, base):
        self.base, self.headers, self.hooks = base, {"agent": "beat"}, {"response": []}
        self.sent = 0

    def post(self, path, **fields):
        self.sent += 1
        body = json.dumps(fields).encode()
        for hook in self.hooks["response"]:
            hook(path, body)
        return len(body)


class Heartbeat(threading.Thread):
    def __init__(self, session, name):
        super().__init__(name="heartbeat", daemon=True)
        self.session, self.service = session, name

    def run(self):
        while True:
            self.session.post("/alive", service=self.service, at=time.time())
            time.sleep(20)


class Till:
    def __init__(self, name, counter):
        self.name, self.counter, self.lock = name, counter, threading.Lock()

    def move(self, other):
        with self.lock:
            time.sleep(0.2)
            with other.lock:
                self.counter.inc()


def main():
    registry = {name: Counter(name) for name in ("moves", "sales")}
    Exporter(registry)
    Heartbeat(Session("http://office"), "tills").start()
    first, second = Till("first", registry["moves"]), Till("second", registry["sales"])
    one = threading.Thread(target=first.move, args=(second,))
    two = threading.Thread(target=second.move, args=(first,))
    one.start()
    two.start()
    time.sleep(0.5)
    tell_ready()
    one.join()
    two.join()


if __name__ == "__main__":
    main()
