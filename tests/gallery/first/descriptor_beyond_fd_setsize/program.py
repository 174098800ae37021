# SPDX-License-Identifier: Apache-2.0
"""A gateway polls its devices with select(); one day it has more than a thousand."""

import ctypes
import os
import resource
import socket

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "waiting.so"))


def raise_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))


def connect(count):
    devices = []
    while len(devices) < count:
        devices.extend(socket.socketpair())
    return devices


def poll(devices):
    return [native.modbus_poll(device.fileno()) for device in devices[-3:]]


def main():
    raise_limit()
    for count in (10, 100, 1200):
        print(poll(connect(count)))


main()
