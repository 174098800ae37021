# SPDX-License-Identifier: Apache-2.0
"""Checks the passports of travellers at a border; a bus comes in the morning."""

import os
import socket
import tempfile
import threading

from counter import Counter
from crew import Crew


def morning_bus(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as lane:
        lane.connect(path)
        lane.sendall(b"L898902C3/6 X4RTBPFW4/0 ZE000509/7\n")
        print("bus:", lane.recv(200).decode().strip(), flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")


def main():
    path = os.path.join(tempfile.mkdtemp(), "lane")
    counter = Counter(Crew(4), path)
    threading.Thread(target=morning_bus, args=(path,), name="bus").start()
    counter.serve()


if __name__ == "__main__":
    main()
