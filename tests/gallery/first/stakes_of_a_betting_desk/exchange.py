# SPDX-License-Identifier: Apache-2.0
"""The client of a betting exchange: lines over one connection."""

import socket


class ExchangeError(Exception):
    pass


class Connection:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.listeners = []

    def ask(self, command, *arguments):
        line = " ".join((command, *map(str, arguments)))
        self.socket.sendall(line.encode() + b"\n")
        return self._answer()

    def _answer(self):
        while True:
            line = self._line()
            if line.startswith("*"):
                for listener in self.listeners:
                    listener(line[1:])
            elif line.startswith("-"):
                raise ExchangeError(line[1:])
            else:
                return line

    def _line(self):
        data = self.socket.recv(4096)
        if not data:
            raise ExchangeError("connection lost")
        line, _, _ = data.partition(b"\n")
        return line.decode()


class Book:
    """Stakes on one race."""

    def __init__(self, connection, race):
        self.connection, self.race = connection, race
        self.odds = {}
        connection.listeners.append(self._odds_moved)

    def _odds_moved(self, notice):
        horse, odds = notice.split()
        self.odds[horse] = float(odds)

    def back(self, horse, stake):
        return self.connection.ask("BACK", self.race, horse, stake)
