# SPDX-License-Identifier: Apache-2.0
"""A signing service keeps its keys where nobody can change them by mistake."""

import ctypes
import hashlib
import mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE = mmap.PAGESIZE
PROT_READ = 1


class Vault:
    """Keys by name, each in a buffer of its own."""

    def __init__(self):
        self.keys = {}

    def store(self, name, secret):
        key = (ctypes.c_char * 64)(*hashlib.sha512(secret).digest())
        start = ctypes.addressof(key) & ~(PAGE - 1)
        if libc.mprotect(start, PAGE, PROT_READ):
            raise OSError(ctypes.get_errno(), "mprotect")
        self.keys[name] = key

    def sign(self, name, message):
        return hashlib.blake2b(message, key=bytes(self.keys[name])).hexdigest()


def main():
    vault = Vault()
    for name in ("billing", "webhooks", "sessions"):
        vault.store(name, name.encode() * 3)
    ledger = {}
    for number in range(2000):
        ledger[number] = vault.sign("billing", b"invoice %d" % number)
    print(len(ledger))


main()
