# SPDX-License-Identifier: Apache-2.0
"""Certificate monitor: fingerprints of the certificates of many hosts, compared with known ones."""

import hashlib

import fingerprints


def known_fingerprints(count):
    return [hashlib.sha256(b"host %d" % n).hexdigest().encode() for n in range(count)]


def forget_renewed(known):
    return [known[n] for n in range(len(known)) if n % 2]


def check_hosts(count):
    return [fingerprints.text(hashlib.sha256(b"new %d" % n).digest()) for n in range(count)]


def describe(known):
    return sorted(set(map(repr, known)))


def main():
    known = known_fingerprints(2000)
    known = forget_renewed(known)
    seen = check_hosts(400)
    print(len(seen), len(describe(known)))


main()
