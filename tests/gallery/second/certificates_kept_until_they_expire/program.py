# SPDX-License-Identifier: Apache-2.0
"""A store of certificates in the order of their issue; the outdated ones leave it when it is
used."""

import collections
import itertools


class CertificateStore(collections.OrderedDict):
    """Certificates by their host; each is (day of expiry, body)."""

    def __init__(self, clock=itertools.repeat(0)):
        super().__init__()
        self.clock = clock

    def purge(self):
        today = next(self.clock)
        for host in [host for host, (expiry, _) in self.items() if expiry < today]:
            del self[host]

    def __getitem__(self, host):
        entry = super().__getitem__(host)
        self.purge()
        return entry


def issue(store, hosts, days):
    for number in range(hosts):
        host = "host-%d.%s.example" % (number, "abcdefgh"[number % 8])
        store[host] = (100 + number // days, b"certificate of " + host.encode())


def snapshot(store, kept):
    """Keep a copy of the store for the audit."""
    kept.append(store.copy())
    return len(kept[-1])


def main():
    kept = []
    for round_ in range(20):
        store = CertificateStore(itertools.count(90, 25 + round_))
        issue(store, 400, 7)
        print(snapshot(store, kept), [len(copy) for copy in kept])


main()
