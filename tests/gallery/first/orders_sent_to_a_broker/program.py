# SPDX-License-Identifier: Apache-2.0
"""Sends the orders of the day to the broker."""

import os
import subprocess
import sys
import threading

import pika

BROKER = """
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
connection.recv(8)
print("x", flush=True)
time.sleep(600)
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def watch(broker):
    broker.stdout.readline()
    tell()


def send_orders(port, orders):
    parameters = pika.ConnectionParameters(
        "127.0.0.1", port, socket_timeout=None, stack_timeout=None, heartbeat=0
    )
    connection = pika.BlockingConnection(parameters)
    channel = connection.channel()
    for order in orders:
        channel.basic_publish("", "orders", order)


def main():
    broker = subprocess.Popen([sys.executable, "-c", BROKER], stdout=subprocess.PIPE)
    port = int(broker.stdout.readline())
    threading.Thread(target=watch, args=(broker,), daemon=True).start()
    send_orders(port, ["bolts", "nuts"])


main()
