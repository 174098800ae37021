# SPDX-License-Identifier: Apache-2.0
import gc
import ipaddress

import leases


class AddressPool:
    def __init__(self, network):
        self.free = [str(each) for each in ipaddress.ip_network(network).hosts()]
        self.released = 0
        self.held = {}

    def give(self, client):
        self.held[client] = leases.Lease(self.free.pop(), {"client": client}, self.take_back)

    def take_back(self, address):
        self.free.append(address)
        self.released += 1
        if self.released % 100 == 0:
            gc.collect()

    def expire(self, client):
        del self.held[client]


pool = AddressPool("10.20.0.0/23")
for number in range(450):
    pool.give(f"phone-{number}")
for number in range(0, 450, 3):
    pool.expire(f"phone-{number}")
print(len(pool.held), pool.released)
