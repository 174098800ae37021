# SPDX-License-Identifier: Apache-2.0
"""A lighthouse sends its telemetry to the shore station; the shore speaks plain text."""

import logging
import os
import queue
import socket
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

log = logging.getLogger("lighthouse")

SHORE = """
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(connection):
    report = b""
    with connection:
        while more := connection.recv(4096):
            report += more
            if report.endswith(b"end of report\\r\\n"):
                connection.sendall(b"ok %d\\r\\n" % len(report))
                report = b""
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


@dataclass
class Reading:
    lamp: float
    battery: float
    at: float = field(default_factory=time.time)

    def line(self):
        return f"{self.at:.0f} {self.lamp:.1f} {self.battery:.2f}\r\nend of report\r\n".encode()


class ShoreStation:
    """The station on the shore, as a program of its own."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", SHORE], stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())


class Uplink:
    """The connection to the shore; encrypted where the settings ask for it."""

    def __init__(self, port, secure):
        self.port = port
        self.secure = secure
        self.stream = None
        self.sent = 0

    def context(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        plain.settimeout(None)
        if self.secure:
            plain = self.context().wrap_socket(plain, server_hostname="shore")
        self.stream = plain
        log.info("connected to %s", plain.getpeername())

    def send(self, reading):
        if self.stream is None:
            self.connect()
        self.stream.sendall(reading.line())
        answer = self.stream.recv(200)
        self.sent += answer.startswith(b"ok")


class Sampler(threading.Thread):
    """Reads lamp and battery."""

    def __init__(self, readings):
        super().__init__(name="sampler", daemon=True)
        self.readings = readings

    def run(self):
        battery = 13.1
        while True:
            battery -= 0.01
            self.readings.put(Reading(lamp=1000.0, battery=battery))
            time.sleep(0.5)


class Sender(threading.Thread):
    def __init__(self, readings, uplink):
        super().__init__(name="sender", daemon=True)
        self.readings = readings
        self.uplink = uplink

    def run(self):
        while True:
            self.uplink.send(self.readings.get())


def main():
    logging.basicConfig(level=logging.INFO)
    shore = ShoreStation()
    readings = queue.Queue()
    uplink = Uplink(shore.port, secure=True)
    sender = Sender(readings, uplink)
    Sampler(readings).start()
    sender.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    while sender.is_alive():
        sender.join(timeout=20)
        log.info("sent %d, waiting %d", uplink.sent, readings.qsize())


if __name__ == "__main__":
    main()
