# SPDX-License-Identifier: Apache-2.0
import collections
import os
import socket
import struct
import threading

FRAME = struct.Struct(">IH")


class Call:
    def __init__(self, number):
        self.number = number
        self.done = threading.Event()
        self.reply = None
        self.callbacks = []

    def add_done_callback(self, callback):
        self.callbacks.append(callback)

    def result(self):
        self.done.wait()
        return self.reply


class Meter(threading.Thread):
    """The far end; answers in the order of the questions."""

    def __init__(self, sock):
        super().__init__(name="meter", daemon=True)
        self.sock = sock

    def run(self):
        while True:
            frame = self.sock.recv(FRAME.size, socket.MSG_WAITALL)
            if not frame:
                break
            number, register = FRAME.unpack(frame)
            value = register * 7 % 4096 if register < 60 else 0xFFFF
            self.sock.sendall(FRAME.pack(number, value))


class Channel:
    def __init__(self):
        self.near, far = socket.socketpair()
        Meter(far).start()
        self.lock = threading.Lock()
        self.empty = threading.Condition(self.lock)
        self.active = collections.OrderedDict()
        self.closing = False
        self.spinner = threading.Thread(target=self.spin, name="channel-spin", daemon=True)
        self.spinner.start()

    def call(self, register, callback=None):
        with self.lock:
            call = Call(int.from_bytes(os.urandom(4), "big"))
            if callback:
                call.add_done_callback(callback)
            self.active[call.number] = call
            self.near.sendall(FRAME.pack(call.number, register))
        return call

    def spin(self):
        while not (self.closing and not self.active):
            number, value = FRAME.unpack(self.near.recv(FRAME.size, socket.MSG_WAITALL))
            call = self.active[number]
            call.reply = value
            for callback in call.callbacks:
                callback(value)
            call.done.set()
            with self.lock:
                del self.active[number]
                self.empty.notify_all()

    def close(self):
        with self.lock:
            self.closing = True
            while self.active:
                self.empty.wait()
        self.near.close()
