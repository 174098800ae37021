# SPDX-License-Identifier: Apache-2.0
"""Handlers of a message bus, registered at the start and called when their topic comes."""

import json
import os


class Handler:
    def __init__(self, topic):
        self.topic = topic
        self.count = 0

    def on_message(self, payload):
        self.count += len(payload)
        return self.count


class Bus:
    def __init__(self):
        self.handlers = {}

    def register(self, handler):
        self.handlers.setdefault(handler.topic, []).append(handler.on_message)

    def publish(self, topic, payload):
        return sum(called(payload) for called in self.handlers.get(topic, ()))


def main():
    bus = Bus()
    for n in range(150):
        bus.register(Handler(f"plant/{n % 50}/temperature"))
    rare = bus.handlers["plant/31/temperature"][1]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(rare) + 24, 44]]}) + "\n")
    input()
    total = 0
    for n in range(30_000):
        total += bus.publish(f"plant/{n % 30}/temperature", b"21.5")
    print(total, flush=True)
    for n in range(50):
        total += bus.publish(f"plant/{n}/temperature", b"22.0")
    print(total)


main()
