# SPDX-License-Identifier: Apache-2.0
"""The kitchen server of a restaurant: tills connect and send their orders in lines."""

import os
import select
import socket

from till import Till


class Connection:
    def __init__(self, line, address):
        self.line = line
        self.address = address
        self.reader = line.makefile("rb")
        self.orders = 0

    def fileno(self):
        return self.line.fileno()

    def answer(self, text):
        self.line.sendall(text.encode() + b"\n")


class Kitchen:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.tills = {}
        self.cooked = []

    @property
    def address(self):
        return self.listener.getsockname()

    def admit(self):
        line, address = self.listener.accept()
        connection = Connection(line, address)
        self.tills[line.fileno()] = connection
        print("till at port", address[1], flush=True)

    def obey(self, connection):
        line = connection.reader.readline().decode()
        verb, _, rest = line.strip().partition(" ")
        if verb == "ORDER":
            connection.orders += 1
            self.cooked.append(rest)
            connection.answer("OK %d" % len(self.cooked))
            return True
        del self.tills[connection.fileno()]
        connection.line.close()
        return False

    def serve(self):
        open_ = True
        while open_:
            readable, _, _ = select.select([self.listener, *self.tills.values()], [], [])
            for one in readable:
                if one is self.listener:
                    self.admit()
                elif not self.obey(one):
                    open_ = bool(self.tills)


def main():
    kitchen = Kitchen()
    till = Till(kitchen.address, ["soup", "2x trout", "plum cake"])
    till.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    kitchen.serve()
    till.join()
    print("cooked:", kitchen.cooked)


main()
