# SPDX-License-Identifier: Apache-2.0
"""A healthy worker that takes its orders from a POSIX message queue, at rest."""

import ctypes
import os

libc = ctypes.CDLL("librt.so.1", use_errno=True)
libc.mq_receive.restype = ctypes.c_ssize_t
libc.mq_receive.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
libc.mq_send.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint]


class Orders:
    def __init__(self, name):
        self.room = ctypes.create_string_buffer(8192)
        self.handle = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
        if self.handle < 0:
            raise OSError(ctypes.get_errno(), "mq_open")
        libc.mq_unlink(name)

    def next_order(self):
        size = libc.mq_receive(self.handle, self.room, len(self.room), None)
        return self.room.raw[:size].decode()


def serve_orders(orders):
    while True:
        order = orders.next_order()
        print("doing", order, flush=True)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def main():
    orders = Orders(b"/orders-%d" % os.getpid())
    libc.mq_send(orders.handle, b"saw 12 planks", 13, 0)
    serve_orders(orders)


main()
