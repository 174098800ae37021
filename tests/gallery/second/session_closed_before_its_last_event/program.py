# SPDX-License-Identifier: Apache-2.0
"""A terminal server of a library: sessions post events, a loop tells their owners."""

import ctypes
import os

EVENT = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)
CODES = {1: "key", 2: "resize", 3: "hangup"}


class Events:
    def __init__(self):
        self.seen = []
        self.callback = EVENT(self.on_event)

    def on_event(self, session, code):
        self.seen.append((session, CODES[code]))


class TerminalServer:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("session.so"))
        self.library.session_open.argtypes = [ctypes.c_long, EVENT, ctypes.c_char_p]
        self.library.session_open.restype = ctypes.c_void_p
        self.library.session_post.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self.library.session_close.argtypes = [ctypes.c_void_p]
        self.library.session_close.restype = None
        self.library.audit_line.argtypes = [ctypes.c_char_p]
        self.library.audit_line.restype = ctypes.c_void_p
        self.events = Events()
        self.sessions = {}
        self.audit = []

    def open(self, number, user):
        self.sessions[number] = self.library.session_open(
            number, self.events.callback, user.encode()
        )

    def post(self, number, code):
        self.library.session_post(self.sessions[number], code)

    def note(self, text):
        self.audit.append(self.library.audit_line(text.encode()))

    def hang_up(self, number):
        self.post(number, 3)
        line = "reader %d went home, terminal 14 is free again" % number
        self.library.session_close(self.sessions.pop(number))
        self.note(line)

    def dispatch(self):
        return self.library.session_dispatch()


def main():
    server = TerminalServer()
    for number, user in enumerate(["miss.marsh", "p.oakley", "student7"], 40):
        server.open(number, user)
        server.post(number, 1)
    print("%d events told" % server.dispatch(), flush=True)
    server.post(40, 2)
    server.hang_up(41)
    print("%d events told" % server.dispatch(), flush=True)
    print(server.events.seen)


main()
