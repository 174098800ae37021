# SPDX-License-Identifier: Apache-2.0
"""Board of odds: a dispatcher thread selects on the connections of all bookmakers. A bookmaker
who is taken off the board has his connection closed, and the last of his odds are awaited."""

import os
import selectors
import socket
import threading


class Feed:
    def __init__(self, bookmaker):
        self.bookmaker = bookmaker
        self.connection, self.far_end = socket.socketpair()
        self.odds = []
        self.first_seen = threading.Event()
        self.drained = threading.Event()


class Dispatcher(threading.Thread):
    def __init__(self):
        super().__init__(name="dispatcher", daemon=True)
        self.selector = selectors.DefaultSelector()

    def add(self, feed):
        self.selector.register(feed.connection, selectors.EVENT_READ, feed)

    def run(self):
        while True:
            for key, _ in self.selector.select():
                self.receive(key.data)

    def receive(self, feed):
        line = feed.connection.recv(4096)
        if line:
            feed.odds.append(line)
            feed.first_seen.set()
        else:
            self.selector.unregister(feed.connection)
            feed.drained.set()


class Board:
    def __init__(self, bookmakers):
        self.dispatcher = Dispatcher()
        self.feeds = {name: Feed(name) for name in bookmakers}
        for feed in self.feeds.values():
            self.dispatcher.add(feed)
        self.dispatcher.start()

    def take_off(self, bookmaker):
        feed = self.feeds.pop(bookmaker)
        feed.connection.close()
        feed.drained.wait()
        return feed.odds


def main():
    board = Board(["north", "harbour", "mill"])
    leaving = board.feeds["harbour"]
    leaving.far_end.sendall(b"17:30 Bluebell 7/2\n")
    leaving.first_seen.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(board.take_off("harbour"))


main()
