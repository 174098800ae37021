# SPDX-License-Identifier: Apache-2.0
"""Takes sealed messages from a queue and unseals each in its own buffer."""

import seal

HEADER = 32


class Envelope:
    __slots__ = ("sender", "body", "frame_length")

    def __init__(self, number):
        self.sender = f"sensor {number % 9}"
        self.body = bytearray(bytes((number * 7 + n) % 251 for n in range(63)))
        self.frame_length = len(self.body) + 1 + HEADER


def unseal(envelopes):
    for number, envelope in enumerate(envelopes):
        seal.apply(envelope.body, envelope.frame_length, 0x9E3779B9 + number)


def main():
    senders = {}
    envelopes, journal = [], []
    for n in range(600):
        envelopes.append(Envelope(n))
        journal.append((f"received {n}", n, n + 0.5))
        senders.setdefault(envelopes[-1].sender, []).append(n)
        journal.append([None, n, "x", 3, 4, 5, 6])
    unseal(envelopes[500:560])
    print(len(senders), flush=True)
    for _ in range(3):
        journal = [type(entry)(entry) for entry in journal]
        envelopes.append(Envelope(3))
        print(sum(len(str(entry)) for entry in journal), flush=True)
        print(sum(len(repr(envelope.body)) + len(envelope.sender) for envelope in envelopes))
        envelopes = [envelope for envelope in envelopes if envelope.body]
    journal.clear()
    envelopes.clear()


main()
