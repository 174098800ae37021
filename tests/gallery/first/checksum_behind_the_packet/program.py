# SPDX-License-Identifier: Apache-2.0
"""An extension writes a packet's checksum of two bytes behind a body that is shorter than the
length which was asked for: into the type pointer of the object behind it.
"""

import packets


def seal_all(batch, length):
    for packet in batch:
        packet.seal(length)


def main():
    batch = [packets.Packet() for _ in range(400)]
    seal_all(batch, 14 - 2)
    print(len({type(packet) for packet in batch}))
    seal_all(batch[:300], 22)
    print(len({type(packet) for packet in batch}))


main()
