# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of a nightly build, each after those that it needs."""

from __future__ import annotations

import logging
import logging.handlers
import os
import queue
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

STEPS = """
fetch:
compile: fetch
translate: fetch manual
test: compile
manual: index compile
index: translate
package: test manual
"""


@dataclass
class Step:
    name: str
    needs: list[str]
    done: bool = False


@dataclass
class Build:
    steps: dict[str, Step] = field(default_factory=dict)
    turns: int = 0

    @classmethod
    def parse(cls, text: str) -> Build:
        build = cls()
        for line in text.split("\n"):
            if line:
                name, _, needs = line.partition(":")
                build.steps[name] = Step(name, needs.split())
        return build

    def may_run(self, step: Step) -> bool:
        return all(self.steps[name].done for name in step.needs)

    def run(self) -> None:
        waiting = deque(self.steps.values())
        while waiting:
            self.turns += 1
            step = waiting.popleft()
            if not self.may_run(step):
                waiting.append(step)
                continue
            logging.info("step %s", step.name)
            step.done = True


def heartbeat() -> None:
    while True:
        Path("beat").write_text(f"{time.time()}\n")
        time.sleep(0.5)


def main() -> None:
    records: queue.Queue = queue.Queue()
    listener = logging.handlers.QueueListener(records, logging.StreamHandler())
    listener.start()
    logging.basicConfig(level=logging.INFO, handlers=[logging.handlers.QueueHandler(records)])
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    build = Build.parse(STEPS)
    Path("ready").write_text(f"{os.getpid()}\n")
    build.run()
    listener.stop()


if __name__ == "__main__":
    main()
