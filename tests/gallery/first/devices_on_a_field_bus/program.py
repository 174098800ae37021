# SPDX-License-Identifier: Apache-2.0
"""A gateway that keeps the devices of a field bus, and polls them by register."""

import gc

import bus


class Gateway:
    def __init__(self):
        self.devices = []

    def attach(self, address):
        device = bus.Device(address, self)
        self.devices.append(device)
        return device

    def poll(self):
        return sum(device.read() for device in self.devices)


def main():
    gateways = []
    for segment in range(3):
        gateway = Gateway()
        for address in range(20):
            gateway.attach(segment * 100 + address)
        gateways.append(gateway)
    for minute in range(5):
        print(minute, sum(gateway.poll() for gateway in gateways), flush=True)
        history = [{"minute": minute, "row": [n]} for n in range(3000)]
    gc.collect()


main()
