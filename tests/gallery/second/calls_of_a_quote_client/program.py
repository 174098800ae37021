# SPDX-License-Identifier: Apache-2.0
"""Asks for quotes over a call library; calls that take too long are cancelled."""

import ctypes
import pathlib


class Client:
    def __init__(self):
        self.rpc = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("rpc.so")))
        self.rpc.start_call.restype = ctypes.c_void_p
        self.rpc.start_call.argtypes = [ctypes.c_char_p]
        self.rpc.cancel_call.argtypes = [ctypes.c_void_p]
        self.rpc.annotate.restype = ctypes.c_void_p
        self.rpc.annotate.argtypes = [ctypes.c_char_p]
        self.notes = []

    def ask(self, symbol, patience):
        call = self.rpc.start_call(symbol.encode())
        if patience < 3:
            self.rpc.cancel_call(call)
            note = "cancelled %s; retried at the next venue, see its order book" % symbol
            self.notes.append(self.rpc.annotate(note[:50].encode()))

    def flush(self):
        self.rpc.flush_calls()


def main():
    client = Client()
    for turn in range(20):
        for number in range(5):
            client.ask("SYM%d" % number, 9 if turn < 4 else number)
        client.flush()
    print(len(client.notes), "cancelled")


if __name__ == "__main__":
    main()
