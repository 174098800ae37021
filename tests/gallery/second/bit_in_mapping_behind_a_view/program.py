# SPDX-License-Identifier: Apache-2.0
"""Tenants see their settings through read-only views; a bit of one view flips meanwhile."""

import ctypes
import json
import os
import types


class Tenants:
    def __init__(self, names):
        self.settings = {
            name: types.MappingProxyType({"currency": "EUR", "decimals": 2, "tenant": name})
            for name in names
        }

    def view(self, name):
        return self.settings[name]

    def summary(self):
        return [f"{name}: {view['currency']}" for name, view in self.settings.items()]


def mapping_pointer(view):
    place = id(view) + 16
    assert ctypes.c_void_p.from_address(place).value
    return place


def main():
    tenants = Tenants([f"tenant-{n:03d}" for n in range(300)])
    place = mapping_pointer(tenants.view("tenant-123"))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 41]]}) + "\n")
    input()
    print(len(tenants.summary()))


main()
