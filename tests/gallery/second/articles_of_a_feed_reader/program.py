# SPDX-License-Identifier: Apache-2.0
"""Reads feeds, keeps the newest articles and forgets the rest of each tree."""

import heapq

import feedtree


def parse(feed):
    root = feedtree.new_document()
    channel = root.add("channel", "feed %d" % feed)
    items = []
    for number in range(25):
        item = channel.add("item", "")
        item.add("title", "Article %d of feed %d" % (number, feed))
        items.append((number * 37 % 101, item.add("guid", "urn:%d:%d" % (feed, number))))
    return root, channel, items


class Reader:
    def __init__(self, keep):
        self.keep = keep
        self.newest = []

    def take(self, feed):
        root, channel, items = parse(feed)
        newest = heapq.nlargest(self.keep, items, key=lambda pair: pair[0])
        self.newest.extend(element for _, element in newest)
        channel.clear()  # the other articles are not needed
        return root

    def paths(self):
        return [element.path() for element in self.newest]


def main():
    reader = Reader(3)
    roots = []
    for feed in range(12):
        roots.append(reader.take(feed))
        print(feed, reader.paths()[-3:])


if __name__ == "__main__":
    main()
