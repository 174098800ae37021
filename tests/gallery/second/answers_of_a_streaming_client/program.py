# SPDX-License-Identifier: Apache-2.0
"""A client that reads streamed answers over a pool of connections."""

import itertools
import os
import threading


class Connection:
    def __init__(self, number):
        self.number = number
        self.idle = True

    def lines(self):
        for n in itertools.count():
            yield b"data: %d\n" % n


class Answer:
    def __init__(self, pool, connection):
        self.pool = pool
        self.connection = connection
        self.body = self.stream()
        self.headers = {"x-answer": self}

    def stream(self):
        try:
            yield from self.connection.lines()
        finally:
            self.pool.give_back(self.connection)


class ConnectionPool:
    def __init__(self, size):
        self.guard = threading.Lock()
        self.connections = [Connection(n) for n in range(size)]
        self.requests = []

    def give_back(self, connection):
        with self.guard:
            connection.idle = True
            self.assign_waiting()

    def assign_waiting(self):
        self.requests = [dict(each) for each in self.requests if each["number"] > 0]

    def ask(self, number):
        with self.guard:
            self.requests += [{"number": number, "part": part, "marks": []} for part in range(40)]
            self.assign_waiting()
            found = next((each for each in self.connections if each.idle), None)
            if found is None:
                found = Connection(len(self.connections))
                self.connections.append(found)
            found.idle = False
        return Answer(self, found)


def first_line(pool, number):
    answer = pool.ask(number)
    return next(answer.body)


def main():
    pool = ConnectionPool(4)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    read = 0
    for number in range(1, 100_000):
        read += len(first_line(pool, number))
        if len(pool.requests) > 4000:
            pool.requests.clear()
    print(read)


main()
