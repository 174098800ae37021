# SPDX-License-Identifier: Apache-2.0
"""A play queue that is turned round in place, through a view that drops what it has shown."""


class Played:
    """Iterate the songs of a queue; once all were shown the queue is emptied."""

    def __init__(self, queue):
        self.queue = queue

    def __iter__(self):
        yield from self.queue
        self.queue.clear()


class Queue:
    def __init__(self, songs):
        self.songs = songs

    def turn_round(self):
        self.songs[::-1] = Played(self.songs)

    def length(self):
        return sum(seconds for _, seconds in self.songs)


def main():
    queue = Queue([("song %d" % number, 180 + number % 60) for number in range(60000)])
    print(queue.length())
    queue.turn_round()
    print(queue.length())


main()
