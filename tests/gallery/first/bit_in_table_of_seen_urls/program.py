# SPDX-License-Identifier: Apache-2.0
"""A crawler keeps the addresses that it has seen, and asks before it fetches one."""

import json
import os


class Frontier:
    def __init__(self):
        self.seen = set()

    def offer(self, url):
        if url in self.seen:
            return False
        self.seen.add(url)
        return True


def links(page):
    return ["https://example.org/%d/%d" % (page, n) for n in range(40)]


def main():
    frontier = Frontier()
    for page in range(30):
        for url in links(page):
            frontier.offer(url)
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(frontier.seen) + 40, 37]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(sum(frontier.offer(url) for url in links(31)))


main()
