# SPDX-License-Identifier: Apache-2.0
"""A telephone exchange registers a bound method for each kind of event when it starts."""

import json
import os


class Exchange:
    def __init__(self):
        self.calls = {}
        self.handlers = {}

    def register(self):
        self.handlers["ring"] = self.on_ring
        self.handlers["hang_up"] = self.on_hang_up

    def on_ring(self, number):
        self.calls[number] = self.calls.get(number, 0) + 1
        return len(self.calls)

    def on_hang_up(self, number):
        return self.calls.pop(number, 0)

    def dispatch(self, event, number):
        handler = self.handlers[event]
        return handler(number)


def main():
    exchange = Exchange()
    exchange.register()
    for number in (3301, 3302, 3301):
        exchange.dispatch("ring", number)
    print(exchange.dispatch("hang_up", 3301))
    with open("ready", "w") as file:
        place = id(exchange.handlers["hang_up"]) + 16
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 42]]}) + "\n")
    input()
    print(exchange.dispatch("ring", 3305))
    print(exchange.dispatch("hang_up", 3302))


main()
