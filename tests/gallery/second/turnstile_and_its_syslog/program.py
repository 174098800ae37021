# SPDX-License-Identifier: Apache-2.0
"""The gates of a swimming pool let visitors in and tell each of them to the system's log."""

import json
import logging
import logging.handlers
import os
import signal
import socket
import threading

ADDRESS = "devlog"
log = logging.getLogger("gates")


def start_log_daemon():
    box = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    box.bind(ADDRESS)
    if os.fork() == 0:
        box.recv(2048)
        signal.pause()
        os._exit(0)
    box.close()


class Gate(threading.Thread):
    def __init__(self, name, visitors):
        super().__init__(name=name)
        self.visitors = visitors
        self.admitted = 0

    def run(self):
        for visitor in range(self.visitors):
            self.admitted += 1
            log.info("%s admitted visitor %d", self.name, visitor)


def main():
    start_log_daemon()
    log.setLevel(logging.INFO)
    log.addHandler(logging.handlers.SysLogHandler(ADDRESS))
    gates = [Gate(f"gate-{n}", 4000) for n in range(3)]
    for gate in gates:
        gate.start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for gate in gates:
        gate.join()
    print(sum(gate.admitted for gate in gates))


main()
