# SPDX-License-Identifier: Apache-2.0
"""Discount rules are compiled by a worker process, results come back by a queue."""

import multiprocessing
import os


class Rule:
    def __init__(self, article, percent):
        self.article = article
        self.percent = percent
        self.apply = None

    def compiled(self):
        factor = (100 - self.percent) / 100
        if self.percent > 50:
            self.apply = lambda price: max(price * factor, 0.5)
        return self


def compile_rules(tasks, results):
    while True:
        task = tasks.get()
        if task is None:
            return
        results.put(Rule(*task).compiled())


class RuleBook:
    def __init__(self):
        context = multiprocessing.get_context("fork")
        self.tasks, self.results = context.Queue(), context.Queue()
        self.worker = context.Process(
            target=compile_rules, args=(self.tasks, self.results), name="rule-compiler"
        )
        self.worker.start()

    def load(self, wanted):
        rules = {}
        for task in wanted:
            self.tasks.put(task)
        for number, _ in enumerate(wanted):
            if number == len(wanted) - 1:
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")
            rule = self.results.get()
            rules[rule.article] = rule
        return rules

    def close(self):
        self.tasks.put(None)
        self.worker.join()


def main():
    book = RuleBook()
    print(len(book.load([("tea", 10), ("cups", 60), ("pots", 25)])))
    book.close()


if __name__ == "__main__":
    main()
