"""Letter sorting daemon: an acceptor thread, a watchdog and twenty-four sorters behind a queue."""

import http.server
import json
import logging
import os
import queue
import sys
import threading
import time
import urllib.request

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("sorting")
ROUTES = {"1": "north", "2": "coast", "3": "hills", "4": "abroad"}


class Sorters:
    def __init__(self, number):
        self.letters = queue.Queue()
        self.bags = {}
        self.bags_guard = threading.Lock()
        self.last = time.monotonic()
        for n in range(number):
            threading.Thread(target=self.sort, name=f"sorter-{n:02}", daemon=True).start()

    def sort(self):
        while True:
            letter = self.letters.get()
            bag = ROUTES.get(letter["code"][:1], "desk")
            with self.bags_guard:
                self.bags.setdefault(bag, []).append(letter["to"])
                self.last = time.monotonic()
            self.letters.task_done()


class Door(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for letter in json.loads(body):
            self.server.sorters.letters.put(letter)
        self.send_response(202)
        self.end_headers()

    def log_message(self, *args):
        pass


def watchdog(sorters):
    while True:
        time.sleep(20)
        idle = time.monotonic() - sorters.last
        if idle > 15:
            log.warning("no letter for %d s", idle)


def first_sack(address):
    letters = [{"to": f"Nr. {n}", "code": str(n % 6) + "7140"} for n in range(240)]
    request = urllib.request.Request(
        "http://%s:%d/" % address, json.dumps(letters).encode(), method="POST"
    )
    urllib.request.urlopen(request).close()


def main():
    sorters = Sorters(24)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.sorters = sorters
    threading.Thread(target=server.serve_forever, args=(30,), name="door", daemon=True).start()
    threading.Thread(target=watchdog, args=(sorters,), name="watchdog", daemon=True).start()
    first_sack(server.server_address)
    sorters.letters.join()
    log.info("bags: %s", {bag: len(letters) for bag, letters in sorters.bags.items()})
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    threading.Event().wait()


main()
