# SPDX-License-Identifier: Apache-2.0
"""Sounds the sirens below a dam when the gauges ask for it."""

import os
import socket
import threading
from pathlib import Path

from service import Workers, run_until_signalled


class GaugePort(threading.Thread):
    """Gauges send `siren seconds` in datagrams."""

    def __init__(self, workers):
        super().__init__(name="gauge-port", daemon=True)
        self.workers = workers
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))

    def run(self):
        while True:
            data, sender = self.socket.recvfrom(512)
            siren, seconds = data.decode().split()
            self.workers.submit((siren, float(seconds), sender))


def sound(order):
    siren, seconds, _ = order
    print(f"{siren}: {seconds} s", flush=True)


def main():
    settings = {"sirens": ["village", "camp", "mill"]}
    workers = Workers(3, sound)
    port = GaugePort(workers)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gauge:
        for siren in settings["sirens"]:
            gauge.sendto(f"{siren} 0.5".encode(), port.socket.getsockname())
    threading.Timer(0.5, Path("ready").write_text, [f"{os.getpid()}\n"]).start()
    port.start()
    run_until_signalled(workers, reload=settings.clear)


if __name__ == "__main__":
    main()
