# SPDX-License-Identifier: Apache-2.0
"""A society of hikers asks a free geocoder for its huts, and keeps to the one request a minute."""

import http.server
import json
import os
import threading
import urllib.parse
import urllib.request

from limiter import RateLimiter

HUTS = ["Braunschweiger", "Taschach", "Vernagt", "Breslauer", "Hochjoch", "Similaun"]


class Geocoder(http.server.BaseHTTPRequestHandler):
    """Stands in for the service on the net."""

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["q"][0]
        body = json.dumps({"hut": query, "lat": 46.8 + len(query) / 100}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Lookup(threading.Thread):
    def __init__(self, number, base, limiter, huts, places):
        super().__init__(name=f"lookup-{number}")
        self.base, self.limiter, self.huts, self.places = base, limiter, huts, places

    def run(self):
        for hut in self.huts:
            with self.limiter:
                url = f"{self.base}/search?{urllib.parse.urlencode({'q': hut})}"
                with urllib.request.urlopen(url, timeout=30) as answer:
                    self.places[hut] = json.load(answer)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Geocoder)
    threading.Thread(target=server.serve_forever, name="geocoder", daemon=True).start()
    base = "http://127.0.0.1:%d" % server.server_address[1]
    limiter, places = RateLimiter(burst=2, every=60.0), {}
    lookups = [Lookup(n, base, limiter, HUTS[n::3], places) for n in range(3)]
    for lookup in lookups:
        lookup.start()
    while len(places) < 2:
        threading.Event().wait(0.05)
    limiter.sleeping.wait()
    print("found so far:", sorted(places), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for lookup in lookups:
        lookup.join()
    print("all found", flush=True)


if __name__ == "__main__":
    main()
