"""Captive portal of a hotel: guests log in, the accounting thread collects their traffic."""

import http.client
import http.server
import itertools
import logging
import os
import sys
import threading
import urllib.parse

from register import register

logging.basicConfig(
    stream=sys.stdout, level=logging.INFO, format="%(threadName)s %(name)s %(message)s"
)
log = logging.getLogger("hotspot")
serials = itertools.count(1)


class Session:
    def __init__(self, room, name):
        self.room = room
        self.name = name
        self.serial = next(serials)
        self.octets = 0

    def __del__(self):
        register.gone(self)


class Portal(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        form = urllib.parse.parse_qs(self.rfile.read(length).decode())
        session = Session(form["room"][0], form["name"][0])
        register.put(session)
        self.answer(200, b"welcome")

    def do_GET(self):
        room = self.path.rpartition("/")[2]
        session = register.find(room)
        self.answer(200 if session else 404, str(session and session.octets).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def login(port, room, name):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/login", urllib.parse.urlencode({"room": room, "name": name}))
    log.info("%s: %s", name, connection.getresponse().read())


def accounting(stop):
    while not stop.is_set():
        log.info("%d sessions, %d closed", len(register), register.closed)
        stop.wait(3600)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Portal)
    threading.Thread(target=server.serve_forever, args=(3600,), name="portal", daemon=True).start()
    stop = threading.Event()
    threading.Thread(target=accounting, args=(stop,), name="accounting", daemon=True).start()
    port = server.server_address[1]
    login(port, "201", "Alma")
    login(port, "202", "Bert")
    login(port, "305", "Cleo")
    threading.Timer(1.5, announce).start()
    login(port, "202", "Dora")  # the same room, a new guest
    login(port, "401", "Emil")
    stop.set()
    server.shutdown()


main()
