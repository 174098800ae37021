# SPDX-License-Identifier: Apache-2.0
"""A monitor walks the interfaces of a switch and keeps what each of them answers."""

import walk


class Interface:
    def __init__(self, index):
        self.index = index
        self.type = None
        self.value = None

    def __repr__(self):
        return "<%s %s=%r>" % (self.index, self.type, self.value)


def poll(count):
    interfaces = [Interface(index) for index in range(1, count + 1)]
    for interface in interfaces:
        walk.fill(interface, interface.index)
    return interfaces


def main():
    print("polling", walk.host(), flush=True)
    for interface in poll(4):
        print(interface)


main()
