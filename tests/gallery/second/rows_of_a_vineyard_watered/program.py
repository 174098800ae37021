# SPDX-License-Identifier: Apache-2.0
"""The rows of a vineyard are watered in turn; the next round begins some hours after the last."""

import dataclasses
import os
import sched
import time


@dataclasses.dataclass
class Row:
    name: str
    litres: float
    moisture: float = 0.3
    watered: int = 0


@dataclasses.dataclass
class Controller:
    rows: list
    plan: sched.scheduler = dataclasses.field(
        default_factory=lambda: sched.scheduler(time.monotonic, time.sleep)
    )
    rounds: int = 0

    def water(self, row):
        row.watered += 1
        row.moisture = min(0.9, row.moisture + row.litres / 400)

    def begin_round(self):
        self.rounds += 1
        for place, row in enumerate(self.rows):
            if row.moisture < 0.6:
                self.plan.enter(0.1 * place, 2, self.water, (row,))
        self.plan.enter(0.5, 3, self.report)
        self.plan.enter(4 * 3600, 1, self.begin_round)

    def report(self):
        driest = min(self.rows, key=lambda row: row.moisture)
        print("round", self.rounds, "driest:", driest.name, flush=True)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def main():
    names = ("Riesling 1", "Riesling 2", "Silvaner", "Spaetburgunder")
    controller = Controller([Row(name, 40.0 + 15 * n) for n, name in enumerate(names)])
    controller.begin_round()
    controller.plan.run()


main()
