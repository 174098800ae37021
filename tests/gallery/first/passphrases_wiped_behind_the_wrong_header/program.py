"""Key ceremony of a certificate authority: passphrases of the officers are wiped from memory after use."""

import ctypes
import getpass
import hashlib
import hmac
import os
import sys

HEADER = sys.getsizeof(b"") - 1  # of a bytes object, as found on the web


def wipe(secret):
    """Overwrite a secret in place: Python would leave it in memory for long."""
    if secret:
        ctypes.memset(id(secret) + HEADER, 0, len(secret))


class Officer:
    def __init__(self, name, read):
        self.name = name
        self.read = read

    def passphrase(self):
        return self.read(self.name)


class Ceremony:
    def __init__(self, threshold):
        self.threshold = threshold
        self.shares = {}
        self.log = []

    def note(self, text):
        self.log.append(text)
        print(text, flush=True)

    def collect(self, officer):
        secret = officer.passphrase()
        share = hashlib.pbkdf2_hmac("sha256", secret, officer.name.encode(), 2000)
        self.shares[officer.name] = share
        wipe(secret)
        if any(secret):
            raise RuntimeError("the passphrase is still there")
        self.note(f"{officer.name}: share {share[:4].hex()} taken, passphrase wiped")

    def key(self):
        if len(self.shares) < self.threshold:
            raise RuntimeError("not enough officers")
        key = hmac.new(b"root", digestmod="sha256")
        for name in sorted(self.shares):
            key.update(self.shares[name])
        return key.digest()


def from_keyboard(name):
    if sys.stdin.isatty():
        return getpass.getpass(f"{name}: ").encode()
    return hashlib.sha256(name.encode() + b" rehearsal").hexdigest().encode()


def from_token(name):
    """Smart cards answer into a buffer that the caller owns."""
    buffer = bytearray(48)
    digest = hashlib.sha384(name.encode() + b" card").digest()
    buffer[: len(digest)] = digest
    return buffer


def main():
    ceremony = Ceremony(threshold=3)
    officers = [
        Officer("Adebayo", from_keyboard),
        Officer("Brandt", from_keyboard),
        Officer("Castellanos", from_token),
        Officer("Dvorak", from_keyboard),
    ]
    ceremony.note(f"ceremony begins, process {os.getpid()}")
    for officer in officers:
        ceremony.collect(officer)
    ceremony.note(f"root key {ceremony.key()[:4].hex()}")


main()
