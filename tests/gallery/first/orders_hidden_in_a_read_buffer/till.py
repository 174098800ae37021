"""A till of the restaurant: sends orders in lines and waits until all of them are acknowledged."""

import socket
import threading


class Till(threading.Thread):
    def __init__(self, address, orders):
        super().__init__(name="till")
        self.address = address
        self.orders = orders
        self.acknowledged = []

    def run(self):
        with socket.create_connection(self.address) as line:
            answers = line.makefile("r")
            line.sendall("".join("ORDER %s\n" % order for order in self.orders).encode())
            for _ in self.orders:
                self.acknowledged.append(answers.readline().strip())
            line.sendall(b"BYE\n")
