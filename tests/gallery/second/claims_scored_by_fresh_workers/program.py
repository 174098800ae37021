# SPDX-License-Identifier: Apache-2.0
"""Scores insurance claims in processes that are replaced now and then, as the scorer leaks."""

import logging
import math
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

log = logging.getLogger("claims")


@dataclass(frozen=True)
class Claim:
    number: int
    amount: float
    words: int


def score(claim):
    """Return how odd a claim looks."""
    odd = 0.0
    for term in range(1, 2000):
        odd += math.sin(claim.amount / term) / (claim.words + term)
    return claim.number, odd


class Heartbeat(threading.Thread):
    """Tells the batch system that the run goes on."""

    def __init__(self, run):
        super().__init__(name="heartbeat", daemon=True)
        self.batch_run = run

    def run(self):
        while True:
            time.sleep(5)
            log.info("%d of %d scored", len(self.batch_run.scores), len(self.batch_run.claims))


class AuditLog(threading.Thread):
    """Writes the scores to a file, a few at a time."""

    def __init__(self, run, path):
        super().__init__(name="audit", daemon=True)
        self.batch_run = run
        self.path = path

    def run(self):
        written = 0
        with open(self.path, "w", encoding="utf-8") as audit:
            while True:
                fresh = list(self.batch_run.scores.items())[written:]
                for number, odd in fresh:
                    audit.write(f"{number} {odd:.6f}\n")
                audit.flush()
                written += len(fresh)
                time.sleep(0.5)


class ScoringRun:
    WORKERS = 1
    CLAIMS_PER_WORKER = 3

    def __init__(self, claims):
        self.claims = claims
        self.scores = {}

    def run(self):
        with ProcessPoolExecutor(self.WORKERS, max_tasks_per_child=self.CLAIMS_PER_WORKER) as pool:
            pending = [pool.submit(score, claim) for claim in self.claims]
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
            for done in as_completed(pending):
                number, odd = done.result()
                self.scores[number] = odd
        return self.scores


def main():
    logging.basicConfig(level=logging.INFO)
    claims = [Claim(number, 100.0 + 37 * number, 40 + number % 9) for number in range(60)]
    run = ScoringRun(claims)
    Heartbeat(run).start()
    AuditLog(run, "audit.txt").start()
    scores = run.run()
    worst = max(scores, key=scores.get)
    log.info("look at claim %d first", worst)


if __name__ == "__main__":
    main()
