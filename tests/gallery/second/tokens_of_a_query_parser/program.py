# SPDX-License-Identifier: Apache-2.0
"""A search service: queries are split by a C extension and matched against a small index."""

import collections
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass, field

import lexer

log = logging.getLogger("search")
WORDS = "tide lamp rope anchor chart compass buoy sail mast keel harbour pilot".split()


@dataclass
class Query:
    number: int
    text: str
    hits: list = field(default_factory=list)


class Index:
    """Documents by the numbers of their words."""

    def __init__(self, documents):
        self.postings = collections.defaultdict(set)
        chance = random.Random(7)
        for number in range(documents):
            for word in chance.sample(range(len(WORDS)), 4):
                self.postings[word].add(number)

    def find(self, words):
        found = [self.postings.get(word, set()) for word in words]
        return set.intersection(*found) if found else set()


class SelfTest:
    """Counts the words of a known text with a fresh lexer, and hears how it went."""

    def __init__(self, words):
        self.cursor = words.cursor()
        self.cursor.listen(self)
        self.counted = self.cursor.count("tide and lamp")

    def passed(self):
        return self.counted == 2


class Parser:
    """Splits queries; its words are read anew now and then."""

    def __init__(self):
        self.lexer = None
        self.reloads = 0
        self.parsed = 0
        self.reload()

    def reload(self):
        self.lexer = lexer.open_words({word: number for number, word in enumerate(WORDS)})
        if not SelfTest(self.lexer).passed():
            raise ValueError("the words are not what they were")
        self.reloads += 1

    def words(self, text):
        self.parsed += 1
        return self.lexer.tokens(text)


class Desk(threading.Thread):
    """Answers queries one after the other."""

    def __init__(self, queries, index, parser):
        super().__init__(name="desk", daemon=True)
        self.queries = queries
        self.index = index
        self.parser = parser
        self.answered = collections.deque(maxlen=5000)

    def run(self):
        while True:
            query = self.queries.get()
            query.hits = sorted(self.index.find(self.parser.words(query.text)))
            self.answered.append(query)
            if self.parser.parsed % 2500 == 0:
                self.parser.reload()


class Statistics(threading.Thread):
    def __init__(self, desk):
        super().__init__(name="statistics", daemon=True)
        self.desk = desk
        self.means = []

    def run(self):
        while True:
            time.sleep(0.2)
            answered = list(self.desk.answered)
            if answered:
                self.means.append(sum(len(query.hits) for query in answered) / len(answered))


def main():
    logging.basicConfig(level=logging.INFO)
    queries = queue.Queue()
    parser = Parser()
    desk = Desk(queries, Index(2000), parser)
    desk.start()
    Statistics(desk).start()
    chance = random.Random(8)
    for number in range(200_000):
        text = f"{chance.choice(WORDS)} & ({chance.choice(WORDS)} | {chance.choice(WORDS)})"
        queries.put(Query(number, text))
        time.sleep(0.0005)
    log.info("parsed %d", parser.parsed)


if __name__ == "__main__":
    main()
