# SPDX-License-Identifier: Apache-2.0
"""Pages of a mailbox, sent to terminals that want a carriage return in front of each line break."""

import ctypes
import os

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "terminal.so"))
lib.terminal_open.restype = ctypes.c_void_p
lib.terminal_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class Session:
    def __init__(self, user):
        self.terminal = lib.terminal_open(1000)
        self.folders = [f"folder of {user}"] * 125

    def show(self, page):
        return lib.terminal_send(self.terminal, page.encode())

    def listing(self):
        return "\n".join(folder.upper() for folder in self.folders)


def main():
    sessions = [Session(f"user{n}") for n in range(120)]
    sent = 0
    for number, session in enumerate(sessions):
        page = "\n".join(f"message {n} of the day" for n in range(20 + number % 20))
        sent += session.show(page)
    print(sent, flush=True)
    for session in sessions[60:64]:
        sent += session.show("menu\n" + "> \n" * 320)
    print(sent, flush=True)
    for _ in range(3):
        print(sum(len(session.listing()) for session in sessions), flush=True)


main()
