# SPDX-License-Identifier: Apache-2.0
"""Prices of the stalls of a market, each of which publishes on its own port."""

import json
import resource

import zmq

LIMIT = 252


class Stall:
    """A stall and the socket on which it publishes what it asks for its goods."""

    def __init__(self, number):
        self.number = number
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.PUB)
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")

    def publish(self, goods, price):
        self.socket.send_multipart([goods.encode(), json.dumps(price).encode()])


class Market:
    def __init__(self):
        self.stalls = {}

    def open_stall(self, number):
        stall = Stall(number)
        self.stalls[number] = stall
        return stall


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    market = Market()
    for number in range(400):
        market.open_stall(number).publish("apples", 1.20 + number % 9 / 10)
    print(len(market.stalls), "stalls")


if __name__ == "__main__":
    main()
