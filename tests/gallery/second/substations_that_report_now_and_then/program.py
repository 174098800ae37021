# SPDX-License-Identifier: Apache-2.0
"""The collector of a heating network. Substations keep a connection open and report when something
changes; a thread serves each. At night there is little to do."""

import collections
import logging
import os
import queue
import socketserver
import subprocess
import sys
import threading

log = logging.getLogger("collector")
HERE = os.path.dirname(os.path.abspath(__file__))


class Loads:
    """The last load of each substation, and who is told of changes."""

    def __init__(self):
        self.guard = threading.Lock()
        self.last = collections.OrderedDict()
        self.changes = queue.SimpleQueue()

    def put(self, name, load):
        with self.guard:
            self.last[name] = load
            known = len(self.last)
        self.changes.put((name, load))
        return known


class Line(socketserver.StreamRequestHandler):
    def handle(self):
        name = "unknown"
        for raw in self.rfile:
            word, _, rest = raw.decode("ascii", "replace").strip().partition(" ")
            if word == "HELLO":
                name = rest
                threading.current_thread().name = f"line-{name}"
            elif word == "LOAD":
                self.server.loads.put(name, float(rest))
            elif word == "BYE":
                break
        log.info("%s has gone", name)


class Collector(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Line)
        self.loads = Loads()


class Archivist(threading.Thread):
    """Writes each change to the day's file."""

    def __init__(self, changes, path, expected, done):
        super().__init__(name="archivist", daemon=True)
        self.changes, self.path = changes, path
        self.expected, self.done = expected, done

    def run(self):
        with open(self.path, "a") as day:
            for number in range(1, sys.maxsize):
                name, load = self.changes.get()
                day.write(f"{name}\t{load}\n")
                day.flush()
                if number == self.expected:
                    self.done.set()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    collector = Collector()
    written = threading.Event()
    Archivist(collector.loads.changes, "day.tsv", 3, written).start()
    server = threading.Thread(target=collector.serve_forever, args=(3600,), name="acceptor")
    server.start()
    port = str(collector.server_address[1])
    country = subprocess.Popen(
        [sys.executable, os.path.join(HERE, "substations.py"), port], stdin=subprocess.PIPE
    )
    written.wait()
    log.info("all substations have reported")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    server.join()
    country.terminate()


main()
