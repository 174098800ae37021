# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass

from checkpoint import Checkpoint


@dataclass(frozen=True)
class Paper:
    name: str
    points: tuple

    def mark(self, best):
        return round(6 - 5 * sum(self.points) / best, 1)


class Grading:
    def __init__(self, papers, best=40):
        self.papers = papers
        self.best = best
        self.marks = {}

    def pending(self):
        return (
            (paper.name, paper.mark(self.best))
            for paper in self.papers
            if paper.name not in self.marks
        )

    def grade(self, work, number=None):
        for name, mark in work:
            self.marks[name] = mark
            if len(self.marks) == number:
                break
        return len(self.marks)


def papers(form):
    for number in range(24):
        yield Paper(f"{form}{number:02}", (number % 9, number % 11, number % 7, number % 5))


def main():
    morning = Grading(list(papers("7b")))
    print(morning.grade(morning.pending(), 11), "before the break", flush=True)
    evening = Grading(list(papers("7c")))
    saved = Checkpoint(evening.pending())
    evening.grade(saved.resume(evening.pending()))
    print(len(evening.marks))


main()
