# SPDX-License-Identifier: Apache-2.0
"""Takes the orders of shops from the broker and books them."""

import json
import threading


class OrderConsumer(threading.Thread):
    def __init__(self, channel):
        super().__init__(name="orders", daemon=True)
        self.channel = channel
        self.booked = {}

    def run(self):
        while True:
            delivery = self.channel.receive()
            try:
                self.on_message(delivery.body)
            except Exception:
                self.channel.nack(delivery.tag)
            else:
                self.channel.ack(delivery.tag)

    def on_message(self, body):
        order = json.loads(body)
        for article, crates in order["articles"].items():
            self.booked[article] = self.booked.get(article, 0) + int(crates)
