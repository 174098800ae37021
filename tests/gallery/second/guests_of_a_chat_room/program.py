# SPDX-License-Identifier: Apache-2.0
"""A chat room that remembers its guests as long as somebody else does."""

import weakref

import guest


class ChatRoom:
    def __init__(self):
        self.guests = []
        self.heard = []

    def enter(self, visitor):
        self.guests.append(weakref.ref(visitor))

    def tell_all(self, text):
        for reference in self.guests:
            visitor = reference()
            if visitor is not None:
                self.heard.append(visitor.hear(text))


def evening(room):
    host = guest.Guest()
    room.enter(host)
    visitors = [guest.Guest() for _ in range(4)]
    for visitor in visitors:
        room.enter(visitor)
    room.tell_all("good evening")
    del visitor, visitors[1:]
    room.tell_all("good night")


def main():
    room = ChatRoom()
    evening(room)
    print(len(room.heard), "lines heard")


main()
