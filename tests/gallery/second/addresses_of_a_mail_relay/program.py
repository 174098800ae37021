# SPDX-License-Identifier: Apache-2.0
"""Asks the C library for the addresses of relays, with the flags that socket does not offer."""

import ctypes
import socket


class SockAddr(ctypes.Structure):
    _fields_ = [
        ("family", ctypes.c_ushort),
        ("port", ctypes.c_ubyte * 2),
        ("address", ctypes.c_ubyte * 4),
    ]


class AddrInfo(ctypes.Structure):
    pass


AddrInfo._fields_ = [
    ("flags", ctypes.c_int),
    ("family", ctypes.c_int),
    ("socktype", ctypes.c_int),
    ("protocol", ctypes.c_int),
    ("addrlen", ctypes.c_uint),
    ("addr", ctypes.POINTER(SockAddr)),
    ("canonname", ctypes.c_char_p),
    ("next", ctypes.POINTER(AddrInfo)),
]

libc = ctypes.CDLL(None)
libc.getaddrinfo.argtypes = [
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.POINTER(AddrInfo),
    ctypes.POINTER(ctypes.POINTER(AddrInfo)),
]
libc.freeaddrinfo.argtypes = [ctypes.POINTER(AddrInfo)]
libc.freeaddrinfo.restype = None


class Answers:
    def __init__(self, host, port):
        hints = AddrInfo(flags=socket.AI_NUMERICHOST, family=socket.AF_INET)
        self.first = ctypes.POINTER(AddrInfo)()
        status = libc.getaddrinfo(host, port, hints, self.first)
        if status != 0:
            raise OSError(status, host.decode())

    def __iter__(self):
        entry = self.first
        while entry:
            yield entry
            entry = entry.contents.next

    def forget_streams_of_no_use(self):
        for entry in list(self):
            if entry.contents.socktype != socket.SOCK_STREAM:
                libc.freeaddrinfo(entry)

    def close(self):
        libc.freeaddrinfo(self.first)


def addresses(host, port, streams_only):
    answers = Answers(host, port)
    if streams_only:
        answers.forget_streams_of_no_use()
    address = answers.first.contents.addr.contents.address
    text = ".".join(map(str, address))
    answers.close()
    return text


def main():
    for host, streams_only in [(b"192.0.2.25", False), (b"127.0.0.1", False), (b"192.0.2.7", True)]:
        print(host.decode(), addresses(host, b"25", streams_only), flush=True)


if __name__ == "__main__":
    main()
