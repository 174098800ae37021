# SPDX-License-Identifier: Apache-2.0
"""A board shows the scores that its server pushes; a reporter's thread sends one now and then."""

import os
import socket
import threading
import time


class Server(threading.Thread):
    def __init__(self):
        super().__init__(name="server", daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.boards = []

    def run(self):
        board, address = self.listener.accept()
        self.boards.append(board)
        while question := board.recv(100):
            print(address, "asks", question)

    def report(self):
        half = 0
        while True:
            time.sleep(2700)
            half += 1
            for board in self.boards:
                board.sendall(b"half %d is over\n" % half)


def show(address):
    board = socket.create_connection(address)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    while line := board.recv(200):
        print(line.decode(), end="")


def main():
    server = Server()
    server.start()
    threading.Thread(target=server.report, name="reporter", daemon=True).start()
    show(server.listener.getsockname())


main()
