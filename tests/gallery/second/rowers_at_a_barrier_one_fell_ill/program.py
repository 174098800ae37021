"""Load test of a rowing club's booking site: all virtual rowers start together, round after round."""

import dataclasses
import http.client
import http.server
import json
import logging
import os
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("load")

ROUNDS = 4


@dataclasses.dataclass
class Result:
    rower: str
    round: int
    status: int
    length: int


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        boat = self.path.rpartition("=")[2]
        body = json.dumps({"boat": boat, "free": len(boat) % 3 > 0}).encode()
        if boat == "eight" and self.server.bookings > 6:
            body = b"<h1>Fully booked</h1>"
        self.server.bookings += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Rower(threading.Thread):
    def __init__(self, name, boat, port, start, results):
        super().__init__(name=name)
        self.boat = boat
        self.port = port
        self.start_line = start
        self.results = results

    def ask(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", f"/free?boat={self.boat}")
        answer = connection.getresponse()
        return answer.status, answer.read()

    def run(self):
        for number in range(ROUNDS):
            self.start_line.wait()
            status, body = self.ask()
            free = json.loads(body)["free"]
            self.results.append(Result(self.name, number, status, len(body)))
            log.info("round %d: %s %s", number, self.boat, "free" if free else "taken")


def report(results):
    for number in range(ROUNDS):
        rows = [row for row in results if row.round == number]
        log.info("round %d: %d answers", number, len(rows))


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.bookings = 0
    threading.Thread(target=server.serve_forever, args=(600,), name="site", daemon=True).start()
    boats = {"Ann": "single", "Ben": "double", "Cyd": "four", "Dan": "eight"}
    start, results = threading.Barrier(len(boats)), []
    port = server.server_address[1]
    rowers = [Rower(name, boat, port, start, results) for name, boat in boats.items()]
    for rower in rowers:
        rower.start()
    rowers[-1].join()
    log.info("Dan is through")
    threading.Timer(1.0, announce).start()
    for rower in rowers:
        rower.join()
    report(results)


main()
