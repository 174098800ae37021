# SPDX-License-Identifier: Apache-2.0
"""A toy DHCP server's table of leases, kept in C++."""

import ctypes
import ipaddress
import random
from pathlib import Path

lib = ctypes.CDLL(str(Path(__file__).resolve().parent / "leases.so"))
lib.lease_add.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_int64]
lib.lease_add.restype = None
lib.lease_expire.argtypes = [ctypes.c_int64]


def fill(network, chance):
    for number, address in enumerate(network.hosts()):
        host = "host-%d.%s.example.org" % (number, "guests" if number % 2 else "staff")
        lib.lease_add(int(address), host.encode(), 1000 + chance.randrange(3600))


def main():
    chance = random.Random(8)
    fill(ipaddress.ip_network("10.1.0.0/20"), chance)
    for now in range(1000, 4700, 60):
        gone = lib.lease_expire(now)
        print(now, "expired", gone, "left", lib.lease_count())


if __name__ == "__main__":
    main()
