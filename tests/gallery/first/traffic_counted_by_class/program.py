# SPDX-License-Identifier: Apache-2.0
"""Router statistics: bytes that went through, by the class of service of the packets."""

import random

import traffic


def class_of_service(dscp):
    return dscp // 7


def read_packets(count, seed):
    source = random.Random(seed)
    for _ in range(count):
        yield source.choice((0, 10, 26, 34, 46, 56)), source.randrange(40, 65536)


def account(count):
    for dscp, size in read_packets(count, 11):
        traffic.count(class_of_service(dscp), size)


def main():
    print(traffic.total(), flush=True)
    account(40000)
    print(traffic.total(), flush=True)


main()
