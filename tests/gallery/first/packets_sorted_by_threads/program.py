# SPDX-License-Identifier: Apache-2.0
"""Metering service: a thread takes datagrams of meters, two others sort them; main waits."""

import os
import queue
import socket
import threading
import time


class Metering:
    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.packets = queue.Queue(maxsize=1000)
        self.lock = threading.Lock()
        self.readings = {}

    def receive(self):
        while True:
            packet, _ = self.socket.recvfrom(512)
            self.packets.put(packet)

    def sort(self):
        while True:
            meter, reading = self.packets.get().decode().split("=")
            with self.lock:
                self.readings.setdefault(meter, []).append(float(reading))
            self.packets.task_done()


def main():
    metering = Metering()
    threads = [
        threading.Thread(target=metering.receive, name="receiver"),
        threading.Thread(target=metering.sort, name="sorter-0"),
        threading.Thread(target=metering.sort, name="sorter-1"),
    ]
    for thread in threads:
        thread.start()
    meter = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(10):
        meter.sendto(b"m%d=%d.5" % (number % 3, number), metering.socket.getsockname())
    while not metering.readings:
        time.sleep(0.01)
    metering.packets.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
