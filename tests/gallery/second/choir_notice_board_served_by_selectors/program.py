"""Notice board of a choir: members stay connected and see each notice; one thread, selectors, signals by fd."""

import os
import selectors
import signal
import socket
import sys


class Member:
    def __init__(self, sock, name="?"):
        self.sock = sock
        self.name = name
        self.incoming = b""
        self.outgoing = b""


class Board:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.members = {}
        self.notices = []
        self.running = True
        self.door = socket.create_server(("127.0.0.1", 0))
        self.door.setblocking(False)
        self.selector.register(self.door, selectors.EVENT_READ, self.enter)
        self.bell, ringer = socket.socketpair()
        for end in (self.bell, ringer):
            end.setblocking(False)
        signal.set_wakeup_fd(ringer.fileno())
        self.ringer = ringer
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        self.selector.register(self.bell, selectors.EVENT_READ, self.rung)

    def enter(self, _, __):
        sock, _ = self.door.accept()
        sock.setblocking(False)
        member = Member(sock)
        self.members[sock] = member
        self.selector.register(sock, selectors.EVENT_READ, self.talk)
        for notice in self.notices[-5:]:
            self.send(member, notice)

    def rung(self, *_):
        for number in self.bell.recv(64):
            if number == signal.SIGTERM:
                self.running = False
            else:
                print(len(self.members), "members", len(self.notices), "notices", flush=True)

    def send(self, member, text):
        member.outgoing += text.encode() + b"\n"
        self.selector.modify(member.sock, selectors.EVENT_READ | selectors.EVENT_WRITE, self.talk)

    def talk(self, sock, mask):
        member = self.members[sock]
        if mask & selectors.EVENT_WRITE:
            sent = sock.send(member.outgoing)
            member.outgoing = member.outgoing[sent:]
            if not member.outgoing:
                self.selector.modify(sock, selectors.EVENT_READ, self.talk)
        if mask & selectors.EVENT_READ:
            data = sock.recv(4096)
            if not data:
                self.selector.unregister(sock)
                self.members.pop(sock).sock.close()
                return
            *lines, member.incoming = (member.incoming + data).split(b"\n")
            for line in lines:
                self.hear(member, line.decode())

    def hear(self, member, line):
        command, _, rest = line.partition(" ")
        if command == "NAME":
            member.name = rest
        elif command == "POST":
            self.notices.append(f"{member.name}: {rest}")
            for other in self.members.values():
                self.send(other, self.notices[-1])

    def serve(self, after_notices):
        while self.running:
            for key, mask in self.selector.select():
                key.data(key.fileobj, mask)
            if len(self.notices) == after_notices:
                after_notices = None
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def join(address, name, *notices):
    sock = socket.create_connection(address)
    sock.sendall("".join([f"NAME {name}\n", *(f"POST {notice}\n" for notice in notices)]).encode())
    return sock


def main():
    board = Board()
    address = board.door.getsockname()
    voices = [
        join(address, "Soprano", "rehearsal at seven", "bring the Fauré"),
        join(address, "Bass", "the heating is broken"),
        join(address, "Alto"),
    ]
    board.serve(after_notices=3)
    print(len(voices), "voices go home")
    return 0


sys.exit(main())
