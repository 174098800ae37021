# SPDX-License-Identifier: Apache-2.0
"""A robot bar takes orders from a broker and confirms each of them."""

import os
import socket
import struct
import threading
from pathlib import Path

import paho.mqtt.client as mqtt


def read_packet(stream):
    kind = stream.read(1)
    if not kind:
        return None, b""
    size = shift = 0
    while True:
        byte = stream.read(1)[0]
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return kind[0] >> 4, stream.read(size)


def run_broker(listener):
    connection, _ = listener.accept()
    stream = connection.makefile("rb")
    while True:
        kind, body = read_packet(stream)
        if kind is None:
            return
        if kind == 1:
            connection.sendall(b"\x20\x02\x00\x00")
        elif kind == 8:
            connection.sendall(b"\x90\x03" + body[:2] + b"\x00")
            order = struct.pack("!H", 10) + b"bar/orders" + b"table 4: negroni"
            connection.sendall(bytes([0x30, len(order)]) + order)
        elif kind == 3:
            (size,) = struct.unpack_from("!H", body)
            connection.sendall(b"\x40\x02" + body[2 + size : 4 + size])
        elif kind == 12:
            connection.sendall(b"\xd0\x00")


class RobotBar:
    def __init__(self, port):
        self.closing_time = threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="robot-bar")
        self.client.on_connect = self.on_connect
        self.client.on_message = self.on_order
        self.client.connect("127.0.0.1", port)

    def on_connect(self, client, userdata, flags, reason, properties):
        client.subscribe("bar/orders")

    def on_order(self, client, userdata, message):
        table = message.payload.partition(b":")[0]
        confirmed = client.publish("bar/confirmed", table, qos=1)
        confirmed.wait_for_publish()
        self.mix(message.payload)

    def mix(self, order):
        print("mixing", order.decode())
        self.closing_time.set()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        run_broker(listener)
        os._exit(0)
    bar = RobotBar(listener.getsockname()[1])
    listener.close()
    bar.client.loop_start()
    Path("ready").write_text(f"{os.getpid()}\n")
    bar.closing_time.wait()
    bar.client.loop_stop()


if __name__ == "__main__":
    main()
