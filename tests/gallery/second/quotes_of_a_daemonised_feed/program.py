# SPDX-License-Identifier: Apache-2.0
"""Publishes quotes; becomes a daemon in the way of old init scripts."""

import os
import time

import zmq


class Feed:
    def __init__(self):
        self.context = zmq.Context()
        self.publisher = self.context.socket(zmq.PUB)
        self.address = "tcp://127.0.0.1:%d" % self.publisher.bind_to_random_port("tcp://127.0.0.1")

    def publish(self, symbol, price):
        self.publisher.send_multipart([symbol.encode(), b"%.2f" % price])

    def subscribe(self):
        subscriber = self.context.socket(zmq.SUB)
        subscriber.connect(self.address)
        subscriber.setsockopt(zmq.SUBSCRIBE, b"")
        return subscriber


def daemonise():
    os.chdir("/" if os.environ.get("FEED_ROOT") else ".")
    os.umask(0o22)
    # nothing of the shell's may stay open
    os.closerange(3, 256)


def main():
    feed = Feed()
    feed.subscribe()
    time.sleep(0.2)
    daemonise()
    for number in range(100):
        feed.publish("SYM%d" % (number % 5), 100 + number / 10)
        time.sleep(0.01)
    feed.subscribe()
    time.sleep(1)


if __name__ == "__main__":
    main()
