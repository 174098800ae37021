# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Addresses, networks and interfaces of ipaddress."""

import ipaddress

from library_values import dying, way


def addresses(death):
    four, zero = ipaddress.ip_address("192.168.1.5"), ipaddress.IPv4Address(0)
    six, local = ipaddress.ip_address("2001:db8::1"), ipaddress.IPv6Address("::1")
    mapped, any_six = ipaddress.IPv6Address("::ffff:1.2.3.4"), ipaddress.IPv6Address("::")
    network, host = ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("10.1.2.3/32")
    six_network = ipaddress.ip_network("2001:db8::/32")
    interface = ipaddress.ip_interface("192.168.1.5/24")
    six_interface = ipaddress.ip_interface("2001:db8::1/64")
    part = list(ipaddress.ip_network("10.0.0.0/30").hosts())
    table = {ipaddress.ip_address("10.0.0.1"): ipaddress.ip_network("10.0.0.0/24")}
    subnets = list(ipaddress.ip_network("10.0.0.0/23").subnets())
    dying(death)


if __name__ == "__main__":
    addresses(way())
